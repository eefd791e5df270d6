#include "platform/figure/figure_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/figure/axis_script.h"
#include "platform/figure/drawn_series.h"
#include "platform/figure/figure_layout.h"
#include "platform/figure/gnuplot.h"
#include "platform/figure/point_labels.h"

namespace kernbench {
namespace {

constexpr double label_px = 11;
constexpr double longest_point_label_px = 200;
constexpr double most_pixels = 4000;  // longest side of a PNG
// From light to dark in print and for the colour-blind: YlGnBu of ColorBrewer.
constexpr const char* palette =
    "defined (0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', 4 '#41b6c4', 5 '#1d91c0', 6 "
    "'#225ea8', 7 '#253494', 8 '#081d58')";

bool is_bars(const Figure& figure) {
  return figure.kind == FigureKind::bars || figure.kind == FigureKind::stacked_bars;
}

std::vector<std::string> legend_of(const Figure& figure) {
  std::vector<std::string> names;
  for (const FigureSeries& each : figure.series) {
    if (!each.name.empty()) names.push_back(each.name);
  }
  if (figure.kind == FigureKind::scatter && figure.pareto_front) names.push_back("Pareto front");
  return names;
}

class ScriptWriter {
 public:
  ScriptWriter(const Figure& figure, FigureFormat format)
      : figure_(figure), format_(format), layout_(figure, legend_of(figure)) {}

  std::string text() {
    check_values();
    terminal();
    frame();
    texts();
    figure_.kind == FigureKind::heat_map ? map() : axes();
    draw();
    return std::move(script_);
  }

 private:
  template <typename... Values>
  void line(const char* format, const Values&... values) {
    script_ += fmt::format(format, values...) + '\n';
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(fmt::format("figure {}: {}", quote(figure_.title), what));
  }

  void check_values();
  void check_point(const FigureSeries& series, std::size_t point) const;
  void terminal();
  void frame();
  void texts();
  void axes();
  void categories(const char* axis, const std::vector<std::string>& names,
                  const CategoryLabels& labels);
  void map();
  void cell_values(double low, double high);
  LabelledPoint pixels(double x, double y, std::string label = "") const;
  void add_lines(std::vector<LabelledPoint>& points) const;
  void point_labels();
  void draw();
  // Size of a font in the unit of the terminal: pixels of an SVG, else points.
  double font(double px) const { return format_ == FigureFormat::svg ? px : 0.75 * px; }
  double screen_x(double px) const { return px / layout_.width; }
  double screen_y(double px) const { return 1 - px / layout_.height; }

  const Figure& figure_;
  FigureFormat format_;
  FigureLayout layout_;
  std::string script_;
  std::vector<double> xs_, ys_;  // finite values
  AxisRange x_range_, y_range_;
};

void ScriptWriter::check_point(const FigureSeries& series, std::size_t point) const {
  const auto check = [&](const char* name, const FigureAxis& axis, double value) {
    if (axis.logarithmic && axis.categories.empty() && value <= 0)
      refuse(fmt::format("its axis {} is logarithmic, and the series {} has {} = {} there", name,
                         quote(series.name), name, value));
  };
  check("x", figure_.x, series.x[point]);
  check("y", figure_.y, series.y[point]);
  if (figure_.kind == FigureKind::stacked_bars && (series.y[point] < 0 || figure_.y.logarithmic))
    refuse(figure_.y.logarithmic
               ? "parts of stacked bars have no lengths on a logarithmic axis"
               : fmt::format("the series {} has {}, and a part of a stacked bar is not negative",
                             quote(series.name), series.y[point]));
}

void ScriptWriter::check_values() {
  for (const FigureSeries& series : figure_.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      check_point(series, i);
      xs_.push_back(series.x[i]);
      ys_.push_back(series.y[i]);
    }
  }
  for (const std::vector<double>& row : figure_.cells) {
    for (const double value : row) {
      if (std::isfinite(value)) ys_.push_back(value);
    }
  }
  if (ys_.empty()) refuse("there is no value to draw");
}

void ScriptWriter::terminal() {
  const double w = std::ceil(layout_.width), h = std::ceil(layout_.height);
  line("set encoding utf8");
  switch (format_) {
    case FigureFormat::svg:
      line(
          "set terminal svg noenhanced size {:.0f},{:.0f} fixed font 'sans-serif,{}' background "
          "'#ffffff'",
          w, h, font(figure_text_px));
      break;
    case FigureFormat::png: {
      const double scale = std::min(2.0, most_pixels / std::max(w, h));
      line(
          "set terminal pngcairo noenhanced size {:.0f},{:.0f} font 'sans-serif,{}' fontscale {} "
          "linewidth {} pointscale {} background '#ffffff'",
          w * scale, h * scale, font(figure_text_px), scale, scale, scale);
      break;
    }
    case FigureFormat::pdf:
      line(
          "set terminal pdfcairo noenhanced size {}in,{}in font 'sans-serif,{}' fontscale 1 "
          "background '#ffffff'",
          w / 96, h / 96, font(figure_text_px));
  }
}

void ScriptWriter::frame() {
  line("set lmargin at screen {}", screen_x(layout_.left));
  line("set rmargin at screen {}", screen_x(layout_.right));
  line("set tmargin at screen {}", screen_y(layout_.top));
  line("set bmargin at screen {}", screen_y(layout_.bottom));
  line("set border 3 linecolor rgb '{}' linewidth 1", figure_grey);
  line("set tics nomirror out scale 0.5 textcolor rgb '#000000'");
  if (layout_.legend_rows == 0) {
    line("unset key");
  } else {
    line("set key at screen {}, screen {} left top Left reverse samplen 2.5 spacing {} maxrows {}",
         screen_x(layout_.legend_x), screen_y(layout_.legend_y),
         format_ == FigureFormat::svg ? 0.95 : 1.25, layout_.legend_rows);
  }
}

void ScriptWriter::texts() {
  double y = 20;
  for (const std::string& each : layout_.title) {
    line("set label {} at screen {}, screen {} left font 'sans-serif:Bold,{}'", gnuplot_text(each),
         screen_x(20), screen_y(y), font(figure_title_px));
    y += title_line_px;
  }
  y = layout_.caption_top + 10;
  for (const std::string& each : layout_.caption) {
    line("set label {} at screen {}, screen {} left font ',{}' textcolor rgb '{}'",
         gnuplot_text(each), screen_x(20), screen_y(y), font(figure_caption_px), figure_grey);
    y += caption_line_px;
  }
  if (!figure_.x.label.empty()) {
    const double below = layout_.legend_below ? layout_.legend_y - 18 : layout_.caption_top - 20;
    line("set label {} at screen {}, screen {} center", gnuplot_text(figure_.x.label),
         screen_x((layout_.left + layout_.right) / 2), screen_y(below));
  }
  if (!figure_.y.label.empty())
    line("set label {} at screen {}, screen {} center rotate by 90", gnuplot_text(figure_.y.label),
         screen_x(18), screen_y((layout_.top + layout_.bottom) / 2));
}

void ScriptWriter::categories(const char* axis, const std::vector<std::string>& names,
                              const CategoryLabels& labels) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); i += labels.every) {
    if (!names[i].empty())
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                          gnuplot_text(shortened_text(names[i], longest_category_px)), i);
  }
  line("set {}tics ({})", axis, list);
  if (labels.upright) line("set {}tics rotate by 90 right", axis);
  line("set {}range [-0.5:{}]", axis, static_cast<double>(names.size()) - 0.5);
}

void ScriptWriter::axes() {
  line("set grid {} linetype 1 linecolor rgb '#e3e7eb' linewidth 0.8",
       is_bars(figure_) ? "noxtics ytics" : "xtics ytics");
  if (figure_.x.categories.empty()) {
    const bool from_zero = figure_.kind == FigureKind::scatter;
    x_range_ = axis_range(figure_.x, xs_, from_zero);
    script_ += axis_script("x", x_range_, xs_);
  } else {
    x_range_ = {-0.5, static_cast<double>(figure_.x.categories.size()) - 0.5};
    categories("x", figure_.x.categories, layout_.x_labels);
  }
  std::vector<double> heights = ys_;
  if (figure_.kind == FigureKind::stacked_bars) {
    std::map<double, double> sums;
    for (const FigureSeries& series : figure_.series) {
      for (std::size_t i = 0; !series.theory && i < series.x.size(); ++i)
        if (std::isfinite(series.x[i]) && std::isfinite(series.y[i]))
          sums[series.x[i]] += series.y[i];
    }
    for (const auto& [x, sum] : sums) heights.push_back(sum);
  }
  y_range_ = axis_range(figure_.y, heights, true);
  script_ += axis_script("y", y_range_, heights);
  if (is_bars(figure_) && y_range_.low < 0 && !y_range_.logarithmic)
    line("set xzeroaxis linecolor rgb '{}' linewidth 1 dashtype 1", figure_grey);
}

void ScriptWriter::map() {
  double low = *std::min_element(ys_.begin(), ys_.end()),
         high = *std::max_element(ys_.begin(), ys_.end());
  if (low > 0) low = 0;
  if (low == high) high = low + 1;
  categories("x", figure_.x.categories, layout_.x_labels);
  categories("y", figure_.y.categories, layout_.y_labels);
  line("set yrange [{}:-0.5]", static_cast<double>(figure_.y.categories.size()) - 0.5);
  line("set border 15");
  line("set tics scale 0");
  // Cells without a value are grey.
  line(
      "set object rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder fillcolor "
      "rgb '#d9dce0'");
  line("set palette {}", palette);
  line("set cbrange [{}:{}]", low, high);
  line("set colorbox user origin screen {},{} size screen {},{}", screen_x(layout_.right + 20),
       screen_y(layout_.bottom), screen_x(16), (layout_.bottom - layout_.top) / layout_.height);
  line("set format cb '{}'", std::abs(high) >= 1e5 ? "%.1s%c" : "%.10g");
  line("set cblabel {}", gnuplot_text(figure_.cells_label));
  cell_values(low, high);
}

void ScriptWriter::cell_values(double low, double high) {
  constexpr double least_cell_px = 36;
  if (layout_.cell_px < least_cell_px || figure_.cells.size() > 24) return;
  for (std::size_t y = 0; y < figure_.cells.size(); ++y) {
    for (std::size_t x = 0; x < figure_.cells[y].size(); ++x) {
      const double value = figure_.cells[y][x];
      if (!std::isfinite(value)) continue;
      line("set label '{:.3g}' at first {}, first {} center front font ',{}' textcolor rgb '{}'",
           value, x, y, font(label_px), (value - low) / (high - low) > 0.5 ? "#ffffff" : "#000000");
    }
  }
}

LabelledPoint ScriptWriter::pixels(double x, double y, std::string label) const {
  return {layout_.left + x_range_.share(x) * (layout_.right - layout_.left),
          layout_.bottom - y_range_.share(y) * (layout_.bottom - layout_.top), std::move(label)};
}

// Points without labels along the lines, so that labels are next to them.
void ScriptWriter::add_lines(std::vector<LabelledPoint>& points) const {
  constexpr double step = 6;
  const auto add = [&](const LabelledPoint& from, const LabelledPoint& to) {
    const double parts = std::ceil(std::hypot(to.x - from.x, to.y - from.y) / step);
    for (double i = 0; i < parts; ++i)
      points.push_back(
          {from.x + (to.x - from.x) * i / parts, from.y + (to.y - from.y) * i / parts, ""});
  };
  for (const FigureSeries& series : figure_.series) {
    if (!series.theory && figure_.kind != FigureKind::lines) continue;
    for (std::size_t i = 1; i < series.x.size(); ++i) {
      if (std::isfinite(series.x[i - 1] + series.x[i] + series.y[i - 1] + series.y[i]))
        add(pixels(series.x[i - 1], series.y[i - 1]), pixels(series.x[i], series.y[i]));
    }
  }
  const auto front = front_of(figure_);
  for (std::size_t i = 1; i < front.size(); ++i) {
    const LabelledPoint corner = pixels(front[i].first, front[i - 1].second);
    add(pixels(front[i - 1].first, front[i - 1].second), corner);
    add(corner, pixels(front[i].first, front[i].second));
  }
}

void ScriptWriter::point_labels() {
  const bool none = std::all_of(figure_.series.begin(), figure_.series.end(),
                                [](const FigureSeries& each) { return each.labels.empty(); });
  if (none) return;
  std::vector<LabelledPoint> points;
  for (const FigureSeries& series : figure_.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) continue;
      if (series.theory && i >= series.labels.size()) continue;
      points.push_back(pixels(series.x[i], series.y[i],
                              i < series.labels.size()
                                  ? shortened_text(series.labels[i], longest_point_label_px)
                                  : ""));
    }
  }
  const std::size_t labelled = points.size();
  add_lines(points);
  const auto places =
      place_labels(points, layout_.left, layout_.right, layout_.top, layout_.bottom, label_px);
  for (std::size_t i = 0; i < labelled; ++i) {
    if (places[i])
      line("set label {} at screen {}, screen {} {} front font ',{}'",
           gnuplot_text(points[i].label), screen_x(places[i]->x), screen_y(places[i]->y),
           places[i]->align, font(label_px));
  }
}

void ScriptWriter::draw() {
  DrawnData data;
  std::vector<std::string> names;
  for (const FigureSeries& each : figure_.series)
    names.push_back(shortened_text(each.name, longest_legend_name_px));
  switch (figure_.kind) {
    case FigureKind::lines:
      draw_lines(figure_, names, true, data);
      break;
    case FigureKind::bars:
      draw_bars(figure_, names, data);
      break;
    case FigureKind::stacked_bars:
      draw_stacked_bars(figure_, names, data);
      break;
    case FigureKind::scatter:
    case FigureKind::roofline:
      draw_pareto_front(figure_, "Pareto front", data);
      draw_lines(figure_, names, false, data);
      break;
    case FigureKind::heat_map:
      draw_cells(figure_, data);
      break;
  }
  if (figure_.kind != FigureKind::heat_map) point_labels();
  script_ += data.blocks + "plot ";
  for (std::size_t i = 0; i < data.elements.size(); ++i)
    script_ += (i == 0 ? "" : ", \\\n  ") + data.elements[i];
  script_ += '\n';
}

}  // namespace

std::string figure_script(const Figure& figure, FigureFormat format) {
  return ScriptWriter(figure, format).text();
}

}  // namespace kernbench
