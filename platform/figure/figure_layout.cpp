#include "platform/figure/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kernbench {
namespace {

constexpr double axes_width = 620, axes_height = 380, most_axes_width = 1400;
constexpr double legend_line = 19;
constexpr double numbers_width = 84;  // numbers and label of the y axis
constexpr double widest_side_legend = 260;
constexpr double legend_sample = 46, numbers_height = 34;

double length(const std::vector<std::string>& lines) { return static_cast<double>(lines.size()); }

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not the rest of a UTF-8 character
  }));
}

double widest(const std::vector<std::string>& texts) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, figure_text_width(text));
  return width;
}

// Width that each category needs at least.
double category_width(const Figure& figure) {
  constexpr double bar = 7;
  if (figure.kind == FigureKind::bars) return bar * static_cast<double>(figure.series.size() + 1);
  return 2 * bar;
}

CategoryLabels labels_of(const std::vector<std::string>& names, double step) {
  CategoryLabels labels;
  labels.upright = std::min(widest(names), longest_category_px) + 8 > step;
  const auto empty = static_cast<std::size_t>(std::count(names.begin(), names.end(), ""));
  if (labels.upright && 2 * empty < names.size())
    labels.every = static_cast<std::size_t>(std::max(1.0, std::ceil(figure_text_px / step)));
  return labels;
}

}  // namespace

double figure_text_width(const std::string& text, double text_px) {
  return 0.58 * text_px * static_cast<double>(characters(text));
}

std::string shortened_text(const std::string& text, double width) {
  if (figure_text_width(text) <= width) return text;
  const std::size_t kept = static_cast<std::size_t>(width / (0.58 * figure_text_px)) - 3;
  // Bytes instead of characters may be cut: those of UTF-8 are kept together.
  const auto is_rest = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t head = (kept + 1) / 2, tail = text.size() - kept / 2;
  while (head > 0 && is_rest(head)) --head;
  while (is_rest(tail)) ++tail;
  return text.substr(0, head) + "..." + text.substr(tail);
}

std::vector<std::string> figure_text_lines(const std::string& text, double width, double text_px) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word = shortened_text(word, width * figure_text_px / text_px);
    if (lines.empty() || figure_text_width(lines.back() + ' ' + word, text_px) > width) {
      lines.push_back(word);
    } else {
      lines.back() += ' ' + word;
    }
  }
  return lines;
}

FigureLayout::FigureLayout(const Figure& figure, const std::vector<std::string>& legend) {
  const auto [axes_w, axes_h] = size_of_axes(figure);
  right = left + axes_w;
  width = right + (figure.kind == FigureKind::heat_map ? 100 : 30);  // room for a scale
  const double legend_width = size_legend(legend, axes_h);
  width = std::max(width, (legend_below ? left : width) + legend_width);

  title = figure_text_lines(figure.title, width - 40, figure_title_px * 1.06);
  caption = figure_text_lines(figure.caption, width - 40, figure_caption_px);
  top = 18 + title_line_px * length(title);
  bottom = top + axes_h;
  double end = bottom + numbers_height;
  if (x_labels.upright)
    end = bottom + 20 + std::min(widest(figure.x.categories), longest_category_px);
  if (!figure.x.label.empty()) end += 24;
  legend_x = legend_below ? left : right + 20;
  legend_y = legend_below ? end + 6 : top;
  if (legend_below) end += 10 + legend_line * static_cast<double>(legend_rows);
  caption_top = end + 8;
  height = end + (caption.empty() ? 8 : 18 + caption_line_px * length(caption));
}

// Width and height of the axes; sets the left margin and the labels of categories.
std::pair<double, double> FigureLayout::size_of_axes(const Figure& figure) {
  const double columns = static_cast<double>(figure.x.categories.size()),
               rows = static_cast<double>(figure.y.categories.size());
  double axes_w = axes_width, axes_h = axes_height;
  left = numbers_width;
  if (figure.kind == FigureKind::heat_map) {
    cell_px = std::clamp(axes_width / std::max(1.0, columns), 12.0, 60.0);
    const double cell_h = std::clamp(480 / std::max(1.0, rows), 12.0, std::min(cell_px, 40.0));
    axes_w = std::clamp(columns * cell_px, 240.0, 2000.0);
    axes_h = std::clamp(rows * cell_h, 90.0, 2000.0);
    y_labels.every =
        static_cast<std::size_t>(std::max(1.0, std::ceil((figure_text_px + 1) * rows / axes_h)));
    left = 46 + std::min(widest(figure.y.categories), longest_category_px);
  } else {
    axes_w = std::clamp(columns * category_width(figure), axes_width, most_axes_width);
  }
  if (columns > 0) x_labels = labels_of(figure.x.categories, axes_w / columns);
  return {axes_w, axes_h};
}

// Width of the legend. gnuplot leaves out rows that are higher than the axes, wherever they are, so
// there are as many columns as needed.
double FigureLayout::size_legend(const std::vector<std::string>& legend, double axes_h) {
  if (legend.empty()) return 0;
  const double names = std::min(widest(legend), longest_legend_name_px);
  const auto most_rows = static_cast<std::size_t>(std::max(1.0, std::floor(axes_h / legend_line)));
  const std::size_t columns = (legend.size() + most_rows - 1) / most_rows;
  legend_below = names > widest_side_legend;
  legend_rows = (legend.size() + columns - 1) / columns;
  return static_cast<double>(columns) * (names + legend_sample + 12);
}

}  // namespace kernbench
