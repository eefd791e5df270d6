#include "platform/figure/drawn_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "platform/figure/gnuplot.h"
#include "platform/figure/pareto_front.h"

namespace kernbench {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr std::array<const char*, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000"};
// No multiple of the colours: 70 combinations.
constexpr std::array<int, 10> marks{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
constexpr std::array<int, 6> patterns{3, 4, 2, 5, 1, 6};
constexpr std::array<const char*, 4> theory_dashes{"(8,5)", "(3,4)", "(12,4,3,4)", "(16,6)"};
constexpr std::array<const char*, 4> dashes{"1", "(14,4)", "(6,3)", "(10,3,2,3)"};

std::string title_of(const std::string& name) {
  return name.empty() ? "notitle" : "title " + gnuplot_text(name);
}

std::size_t theories(const Figure& figure) {
  return static_cast<std::size_t>(std::count_if(figure.series.begin(), figure.series.end(),
                                                [](const FigureSeries& s) { return s.theory; }));
}

bool theory_is_paired(const Figure& figure) { return theories(figure) * 2 == figure.series.size(); }

// Bars are filled with a pattern, those of theory are outlines.
std::string fill_of(const FigureSeries& series, const SeriesStyle& style) {
  if (series.theory) return "fillstyle empty border dashtype (4,3) linewidth 1.4";
  return fmt::format("fillstyle pattern {} border linewidth 1", style.pattern);
}

bool is_value(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

// Points of a series; a row without numbers where a value is missing between others.
Rows points_of(const FigureSeries& series) {
  Rows rows;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (is_value(series.x[i], series.y[i])) {
      rows.push_back({series.x[i], series.y[i]});
    } else if (!rows.empty() && !rows.back().empty()) {
      rows.emplace_back();
    }
  }
  return rows;
}

// Whether a point has no neighbour to be joined with.
bool has_single_point(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool before = i > 0 && !rows[i - 1].empty(),
               after = i + 1 < rows.size() && !rows[i + 1].empty();
    if (!rows[i].empty() && !before && !after) return true;
  }
  return false;
}

}  // namespace

std::vector<SeriesStyle> series_styles(const Figure& figure) {
  const bool paired = theory_is_paired(figure);
  std::vector<SeriesStyle> styles;
  std::size_t others = 0, theory = 0;
  for (const FigureSeries& series : figure.series) {
    SeriesStyle style;
    std::size_t& index = series.theory ? theory : others;
    style.colour = series.theory && !paired ? figure_grey : colours[index % colours.size()];
    style.mark = marks[index % marks.size()];
    style.pattern = patterns[index % patterns.size()];
    style.dash = series.theory ? theory_dashes[paired ? 0 : index % theory_dashes.size()]
                               : dashes[index / colours.size() % dashes.size()];
    ++index;
    styles.push_back(std::move(style));
  }
  return styles;
}

std::string DrawnData::add(const Rows& rows) {
  std::string name = fmt::format("$data{}", elements.size());
  blocks += name + " << EOD\n";
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      blocks += (i == 0 ? "" : " ") + fmt::format("{:.15g}", row[i]);
    blocks += '\n';
  }
  blocks += "EOD\n";
  return name;
}

void draw_lines(const Figure& figure, const std::vector<std::string>& names, bool join,
                DrawnData& data) {
  const std::vector<SeriesStyle> styles = series_styles(figure);
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const bool theory = figure.series[i].theory;
    const Rows rows = points_of(figure.series[i]);
    if (rows.empty()) continue;
    const SeriesStyle& style = styles[i];
    const bool marked = !theory || has_single_point(rows), joined = join || theory;
    std::string element = fmt::format("{} using 1:2 with {} ", data.add(rows),
                                      !joined  ? "points"
                                      : marked ? "linespoints"
                                               : "lines");
    if (joined) element += fmt::format("dashtype {} linewidth {} ", style.dash, theory ? 1.6 : 2);
    if (marked) element += fmt::format("pointtype {} pointsize 0.8 ", theory ? 2 : style.mark);
    data.elements.push_back(element +
                            fmt::format("linecolor rgb '{}' {}", style.colour, title_of(names[i])));
  }
}

void draw_bars(const Figure& figure, const std::vector<std::string>& names, DrawnData& data) {
  const std::vector<SeriesStyle> styles = series_styles(figure);
  const bool paired = theory_is_paired(figure);  // outlines around the bars of the others
  const std::size_t places = figure.series.size() / (paired ? 2 : 1);
  const double width = 0.8 / static_cast<double>(places);
  std::array<std::size_t, 2> next{};
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const FigureSeries& series = figure.series[i];
    const std::size_t place = paired ? next[series.theory ? 1 : 0]++ : i;
    Rows rows;
    for (std::size_t j = 0; j < series.x.size(); ++j) {
      if (is_value(series.x[j], series.y[j]))
        rows.push_back(
            {series.x[j] - 0.4 + (static_cast<double>(place) + 0.5) * width, series.y[j]});
    }
    if (rows.empty()) continue;
    const std::string colour = paired && series.theory ? "#000000" : styles[i].colour;
    data.elements.push_back(fmt::format("{} using 1:2:({}) with boxes {} linecolor rgb '{}' {}",
                                        data.add(rows), width, fill_of(series, styles[i]), colour,
                                        title_of(names[i])));
  }
}

void draw_stacked_bars(const Figure& figure, const std::vector<std::string>& names,
                       DrawnData& data) {
  const std::vector<SeriesStyle> styles = series_styles(figure);
  std::map<double, double> height;  // so far, by x
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const FigureSeries& series = figure.series[i];
    Rows rows;
    for (std::size_t j = 0; j < series.x.size(); ++j) {
      if (!is_value(series.x[j], series.y[j])) continue;
      const double x = series.x[j], low = series.theory ? 0 : height[x], high = low + series.y[j];
      if (!series.theory) height[x] = high;
      rows.push_back({x, high, x - 0.35, x + 0.35, low, high});
    }
    if (rows.empty()) continue;
    data.elements.push_back(
        fmt::format("{} using 1:2:3:4:5:6 with boxxyerror {} linecolor rgb '{}' {}", data.add(rows),
                    fill_of(series, styles[i]), styles[i].colour, title_of(names[i])));
  }
}

std::vector<std::pair<double, double>> front_of(const Figure& figure) {
  std::vector<std::pair<double, double>> points;
  if (figure.kind != FigureKind::scatter || !figure.pareto_front) return points;
  for (const FigureSeries& series : figure.series) {
    for (std::size_t i = 0; !series.theory && i < series.x.size(); ++i)
      points.emplace_back(series.x[i], series.y[i]);
  }
  return pareto_front(std::move(points), figure.higher_y);
}

void draw_pareto_front(const Figure& figure, const std::string& name, DrawnData& data) {
  Rows rows;
  for (const auto& [x, y] : front_of(figure)) rows.push_back({x, y});
  if (rows.empty()) return;
  data.elements.push_back(
      fmt::format("{} using 1:2 with steps dashtype 1 linewidth 1.4 linecolor rgb '{}' {}",
                  data.add(rows), figure_grey, title_of(name)));
}

void draw_cells(const Figure& figure, DrawnData& data) {
  Rows rows;
  for (std::size_t y = 0; y < figure.cells.size(); ++y) {
    for (std::size_t x = 0; x < figure.cells[y].size(); ++x) {
      const auto column = static_cast<double>(x), row = static_cast<double>(y);
      if (std::isfinite(figure.cells[y][x]))
        rows.push_back(
            {column, row, column - 0.5, column + 0.5, row - 0.5, row + 0.5, figure.cells[y][x]});
    }
  }
  data.elements.push_back(fmt::format(
      "{} using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder linecolor palette notitle",
      data.add(rows)));
}

}  // namespace kernbench
