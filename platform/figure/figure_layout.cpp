#include "platform/figure/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace kernbench {
namespace {

constexpr double axes_width = 620, axes_height = 380, most_axes_width = 1400;
constexpr double title_px = 16, caption_px = 12;
constexpr double title_line = 22, caption_line = 17, legend_line = 19;
constexpr double numbers_width = 84;  // of the y axis, with its label
constexpr double longest_category = 170, widest_side_legend = 260;
constexpr double legend_sample = 46;

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
  labels.upright = std::min(widest(names), longest_category) + 8 > step;
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
  const bool is_map = figure.kind == FigureKind::heat_map;
  double axes_w = axes_width, axes_h = axes_height;
  left = numbers_width;
  if (is_map) {
    const double columns = static_cast<double>(figure.x.categories.size()),
                 rows = static_cast<double>(figure.y.categories.size());
    cell_px = std::clamp(axes_width / std::max(1.0, columns), 12.0, 60.0);
    const double cell_h = std::clamp(480 / std::max(1.0, rows), 12.0, std::min(cell_px, 40.0));
    axes_w = std::clamp(columns * cell_px, 240.0, 2000.0);
    axes_h = std::clamp(rows * cell_h, 90.0, 2000.0);
    y_labels.every =
        static_cast<std::size_t>(std::max(1.0, std::ceil((figure_text_px + 1) * rows / axes_h)));
    left = 46 + std::min(widest(figure.y.categories), longest_category);
  } else {
    axes_w = std::clamp(static_cast<double>(figure.x.categories.size()) * category_width(figure),
                        axes_width, most_axes_width);
  }
  double below = 34;  // numbers of the x axis
  if (!figure.x.categories.empty()) {
    x_labels =
        labels_of(figure.x.categories, axes_w / static_cast<double>(figure.x.categories.size()));
    if (x_labels.upright) below = 20 + std::min(widest(figure.x.categories), longest_category);
  }
  if (!figure.x.label.empty()) below += 24;

  const double names = widest(legend);
  legend_below = names > widest_side_legend;
  right = left + axes_w;
  width = right + 30;
  if (is_map) width += 70;  // scale
  if (!legend.empty() && !legend_below) {
    const std::size_t rows_at_side =
        static_cast<std::size_t>(std::max(1.0, std::floor(axes_h / legend_line)));
    const std::size_t columns = (legend.size() + rows_at_side - 1) / rows_at_side;
    legend_rows = (legend.size() + columns - 1) / columns;
    width = right + 30 + static_cast<double>(columns) * (names + legend_sample + 12);
    legend_x = right + 20;
  }
  title = figure_text_lines(figure.title, (width - 40), title_px * 1.06);
  caption = figure_text_lines(figure.caption, width - 40, caption_px);
  top = 18 + title_line * length(title);
  bottom = top + axes_h;
  legend_y = top;
  double end = bottom + below;
  if (!legend.empty() && legend_below) {
    legend_rows = legend.size();
    legend_x = left;
    legend_y = end + 6;
    end += 10 + legend_line * static_cast<double>(legend_rows);
    width = std::max(width, left + legend_sample + std::min(names, 1000.0) + 30);
  }
  caption_top = end + 8;
  height = end + (caption.empty() ? 8 : 18 + caption_line * length(caption));
}

}  // namespace kernbench
