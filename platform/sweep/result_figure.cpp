#include "platform/sweep/result_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/nearest_name.h"
#include "platform/sweep/figure_caption.h"
#include "platform/sweep/result_reader.h"

namespace kernbench {
namespace {

using Texts = std::vector<std::string>;
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_series = 48;

bool has_categories(FigureKind kind) {
  return kind == FigureKind::bars || kind == FigureKind::stacked_bars ||
         kind == FigureKind::heat_map;
}

// A finished point as the figure needs it.
struct DrawnPoint {
  std::size_t file = 0;
  ResultCell x, row;  // row: of a heat map
  std::vector<double> y;
  std::string label;
  std::vector<ResultCell> series, axes;
};

class FigureBuilder {
 public:
  FigureBuilder(const PlanFigure& plan, const Texts& paths) : plan_(plan) {
    for (const std::string& path : paths) results_.emplace_back(path);
    name_files(paths);
  }

  Figure build() {
    figure_.kind = plan_.kind;
    figure_.title = figure_title(plan_);
    read_points();
    choose_series();
    number_positions();
    plan_.kind == FigureKind::heat_map ? add_cells() : add_series();
    labels();
    caption();
    return std::move(figure_);
  }

 private:
  void name_files(const Texts& paths);
  void read_points();
  void refuse_without_points() const;
  void check_numbers() const;
  std::map<std::string, std::size_t> point_counts() const;
  std::string group_of(const DrawnPoint& point) const;
  void choose_series();
  void number_positions();
  std::size_t position(const Texts& names, const std::string& name) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }
  static Texts sorted_names(const std::vector<ResultCell>& cells);
  double x_of(const DrawnPoint& point) const {
    return figure_.x.categories.empty()
               ? point.x.number.value_or(no_value)
               : static_cast<double>(position(figure_.x.categories, point.x.text));
  }
  std::string group_name(const DrawnPoint& point) const;
  std::map<std::string, std::size_t> start_series();
  void add_series();
  void merge_equal_theory();
  void add_cells();
  void labels();
  void caption();

  const PlanFigure& plan_;
  std::vector<ResultReader> results_;
  Texts file_names_;
  Texts series_columns_;
  std::vector<std::size_t> axis_series_;  // axes, by index, that separate series by default
  std::vector<DrawnPoint> points_;
  std::size_t without_value_ = 0;  // points that have no x or no y
  Figure figure_;
};

// Names without folder and extension if these are unique, else whole paths.
void FigureBuilder::name_files(const Texts& paths) {
  std::set<std::string> stems;
  for (const std::string& path : paths) {
    file_names_.push_back(std::filesystem::path(path).stem().string());
    stems.insert(file_names_.back());
  }
  if (stems.size() < paths.size()) file_names_ = paths;
}

void FigureBuilder::refuse_without_points() const {
  std::string states;
  for (const ResultReader& each : results_) {
    const std::size_t failed = each.count("failed"), ok = each.count("ok") + each.count("until"),
                      missing = each.content().requested.size() - ok - failed;
    states += fmt::format("{}{} has {} finished, {} failed and {} missing points",
                          states.empty() ? "" : "; ", quote(each.path()), ok, failed, missing);
  }
  throw UsageError(plan_.where.empty()
                       ? fmt::format("no finished point: {}", states)
                       : fmt::format("no finished point meets {}: {}", quote(plan_.where), states));
}

void FigureBuilder::read_points() {
  for (const ResultReader& each : results_) {
    if (each.count("ok") + each.count("until") == 0)
      refuse_without_points();  // it has no columns of results either
  }
  for (std::size_t file = 0; file < results_.size(); ++file) {
    const ResultReader& results = results_[file];
    const Texts axes = results.content().axes;
    Texts columns{plan_.x};
    columns.insert(columns.end(), plan_.y.begin(), plan_.y.end());
    columns.insert(columns.end(), plan_.series.begin(), plan_.series.end());
    columns.insert(columns.end(), axes.begin(), axes.end());
    for (const std::string& each : {plan_.cells, plan_.labels})
      columns.push_back(each.empty() ? plan_.x : each);
    for (auto& row : results.rows(columns, plan_.where)) {
      DrawnPoint point;
      point.file = file;
      auto at = row.begin();
      point.x = *at++;
      point.row = *at;
      for (std::size_t i = 0; i < plan_.y.size(); ++i)
        point.y.push_back((at++)->number.value_or(no_value));
      for (std::size_t i = 0; i < plan_.series.size(); ++i) point.series.push_back(*at++);
      for (std::size_t i = 0; i < axes.size(); ++i) point.axes.push_back(*at++);
      if (!plan_.cells.empty()) point.y = {at->number.value_or(no_value)};
      ++at;
      if (!plan_.labels.empty()) point.label = at->text;
      const bool none = std::all_of(point.y.begin(), point.y.end(),
                                    [](double value) { return std::isnan(value); });
      if (none || point.x.empty()) ++without_value_;
      if (!point.x.empty()) points_.push_back(std::move(point));
    }
  }
  if (points_.empty()) refuse_without_points();
  check_numbers();
}

// A column without any number is a wrong one; one without a value may belong to points that fail.
void FigureBuilder::check_numbers() const {
  Texts columns = plan_.y;
  if (plan_.kind == FigureKind::heat_map) columns = {plan_.cells};
  for (const ResultReader& results : results_) {
    for (const auto& row : results.rows(columns, plan_.where)) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (!row[i].number && !row[i].empty())
          throw UsageError(fmt::format("column {} has texts, such as {}, where numbers are drawn",
                                       quote(columns[i]), quote(row[i].text)));
    }
  }
}

std::string FigureBuilder::group_of(const DrawnPoint& point) const {
  std::string group = std::to_string(point.file);
  for (const ResultCell& each : point.series) group += '\n' + each.text;
  for (const std::size_t axis : axis_series_) group += '\n' + point.axes[axis].text;
  return group;
}

// Number of points at each place of the figure.
std::map<std::string, std::size_t> FigureBuilder::point_counts() const {
  std::map<std::string, std::size_t> counts;
  for (const DrawnPoint& each : points_) {
    std::string place = group_of(each) + '\n' + each.x.text;
    if (plan_.kind == FigureKind::heat_map) place += '\n' + each.row.text;
    ++counts[place];
  }
  return counts;
}

// Without `series` the axes that distinguish the points of a place are used.
void FigureBuilder::choose_series() {
  const bool scattered = plan_.kind == FigureKind::scatter || plan_.kind == FigureKind::roofline;
  if (scattered) return;
  const auto repeats = [this] { return points_.size() - point_counts().size(); };
  const Texts& axes = results_.front().content().axes;
  bool same_axes = plan_.kind != FigureKind::heat_map && plan_.series.empty();
  for (const ResultReader& each : results_) same_axes = same_axes && each.content().axes == axes;
  for (std::size_t i = 0; same_axes && i < axes.size() && repeats() > 0; ++i) {
    const std::size_t before = repeats();
    axis_series_.push_back(i);
    if (repeats() == before) axis_series_.pop_back();
  }
  if (repeats() == 0) return;
  const auto counts = point_counts();
  const auto place =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string x = place->first.substr(place->first.rfind('\n') + 1);
  throw UsageError(fmt::format(
      "{} points have {} = {}{}: name what distinguishes them in series, or select points by where "
      "(axes: {})",
      place->second, plan_.kind == FigureKind::heat_map ? plan_.y.front() : plan_.x, x,
      plan_.series.empty() ? "" : " in a series", listed(axes, "none")));
}

Texts FigureBuilder::sorted_names(const std::vector<ResultCell>& cells) {
  std::vector<ResultCell> unique;
  for (const ResultCell& cell : cells) {
    if (std::none_of(unique.begin(), unique.end(),
                     [&](const ResultCell& each) { return each.text == cell.text; }))
      unique.push_back(cell);
  }
  const bool numbers = std::all_of(unique.begin(), unique.end(),
                                   [](const ResultCell& each) { return each.number.has_value(); });
  if (numbers)
    std::sort(unique.begin(), unique.end(),
              [](const ResultCell& a, const ResultCell& b) { return *a.number < *b.number; });
  Texts names;
  for (const ResultCell& each : unique) names.push_back(each.text);
  return names;
}

// Texts, and all values of bars and heat maps, are categories; numbers in rising order.
void FigureBuilder::number_positions() {
  std::vector<ResultCell> xs;
  bool numbers = true;
  for (const DrawnPoint& each : points_) {
    xs.push_back(each.x);
    numbers = numbers && each.x.number.has_value();
  }
  if (has_categories(plan_.kind) || !numbers) figure_.x.categories = sorted_names(xs);
  figure_.x.logarithmic = plan_.log_x;
  if (plan_.log_x && !figure_.x.categories.empty())
    throw UsageError(fmt::format("log: {} has texts, such as {}, and no logarithmic scale",
                                 quote(plan_.x), quote(figure_.x.categories.front())));
  figure_.y.logarithmic = plan_.log_y;
  if (plan_.kind == FigureKind::roofline) figure_.x.logarithmic = figure_.y.logarithmic = true;
}

// Name of a series without its column of y: the file, if there are several, and the values of the
// columns that separate series.
std::string FigureBuilder::group_name(const DrawnPoint& point) const {
  Texts titles = plan_.series;
  std::vector<ResultCell> values = point.series;
  for (const std::size_t axis : axis_series_) {
    titles.push_back(results_.front().content().axes[axis]);
    values.push_back(point.axes[axis]);
  }
  std::string name = results_.size() > 1 ? file_names_[point.file] : "";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool plain = values.size() == 1 && !values[i].number;
    name += (name.empty() ? "" : ", ") +
            (plain ? values[i].text : fmt::format("{} = {}", titles[i], values[i].text));
  }
  return name;
}

// Series of each group, in the order of the plan, without points.
std::map<std::string, std::size_t> FigureBuilder::start_series() {
  std::map<std::string, std::size_t> first_of;  // index of the first series of a group
  for (const DrawnPoint& point : points_) {
    if (!first_of.try_emplace(group_of(point), figure_.series.size()).second) continue;
    if (figure_.series.size() + plan_.y.size() > most_series)
      throw UsageError(fmt::format(
          "more than {} series: select points by where, or name fewer columns in series",
          most_series));
    const std::string group = group_name(point);
    for (const std::string& y : plan_.y) {
      FigureSeries& series = figure_.series.emplace_back();
      series.theory = std::find(plan_.theory.begin(), plan_.theory.end(), y) != plan_.theory.end();
      series.name = plan_.y.size() == 1 ? group : group.empty() ? y : group + ": " + y;
    }
  }
  return first_of;
}

void FigureBuilder::add_series() {
  const std::map<std::string, std::size_t> first_of = start_series();
  std::stable_sort(points_.begin(), points_.end(),
                   [this](const auto& a, const auto& b) { return x_of(a) < x_of(b); });
  for (const DrawnPoint& point : points_) {
    const std::size_t first = first_of.at(group_of(point));
    for (std::size_t i = 0; i < plan_.y.size(); ++i) {
      FigureSeries& series = figure_.series[first + i];
      series.x.push_back(x_of(point));
      series.y.push_back(point.y[i]);
      if (!plan_.labels.empty() && !series.theory) series.labels.push_back(point.label);
    }
  }
  merge_equal_theory();
  figure_.pareto_front = !plan_.pareto.empty();
  figure_.higher_y = plan_.pareto == "higher";
}

// Theory that does not depend on the series is drawn once.
void FigureBuilder::merge_equal_theory() {
  for (std::size_t i = 0; i < plan_.y.size(); ++i) {
    if (figure_.series.size() <= plan_.y.size() || !figure_.series[i].theory) continue;
    std::map<double, double> values;
    bool equal = true;
    for (std::size_t at = i; at < figure_.series.size(); at += plan_.y.size()) {
      const FigureSeries& series = figure_.series[at];
      for (std::size_t j = 0; j < series.x.size(); ++j) {
        const auto known = values.try_emplace(series.x[j], series.y[j]).first;
        equal = equal && (known->second == series.y[j] || std::isnan(series.y[j]));
      }
    }
    if (!equal) continue;
    FigureSeries merged;
    merged.theory = true;
    merged.name = plan_.y[i];
    for (const auto& [x, y] : values) {
      merged.x.push_back(x);
      merged.y.push_back(y);
    }
    for (std::size_t at = i; at < figure_.series.size(); at += plan_.y.size())
      figure_.series[at] = {};
    figure_.series[i] = std::move(merged);
  }
  std::vector<FigureSeries> kept;
  for (FigureSeries& each : figure_.series) {
    if (!each.x.empty()) kept.push_back(std::move(each));
  }
  figure_.series = std::move(kept);
  // Theory that is drawn once is last in the legend.
  if (figure_.series.size() % plan_.y.size() != 0)
    std::stable_partition(figure_.series.begin(), figure_.series.end(),
                          [](const FigureSeries& each) { return !each.theory; });
}

void FigureBuilder::add_cells() {
  if (results_.size() > 1) throw UsageError("a heat_map shows one result file");
  std::vector<ResultCell> rows;
  for (const DrawnPoint& each : points_) rows.push_back(each.row);
  figure_.y.categories = sorted_names(rows);
  figure_.cells.assign(figure_.y.categories.size(),
                       std::vector<double>(figure_.x.categories.size(), no_value));
  for (const DrawnPoint& each : points_)
    figure_.cells[position(figure_.y.categories, each.row.text)]
                 [position(figure_.x.categories, each.x.text)] = each.y.front();
  figure_.cells_label = plan_.cells_label.empty() ? column_label(plan_.cells) : plan_.cells_label;
}

void FigureBuilder::labels() {
  figure_.x.label = plan_.x_label.empty() ? column_label(plan_.x) : plan_.x_label;
  figure_.y.label = !plan_.y_label.empty()               ? plan_.y_label
                    : plan_.kind == FigureKind::heat_map ? column_label(plan_.y.front())
                                                         : columns_label(plan_.y);
}

void FigureBuilder::caption() {
  std::set<std::string> shown(plan_.series.begin(), plan_.series.end());
  shown.insert(plan_.x);
  shown.insert(plan_.y.begin(), plan_.y.end());
  for (const std::size_t axis : axis_series_) shown.insert(results_.front().content().axes[axis]);
  std::vector<CaptionedFile> files;
  for (std::size_t i = 0; i < results_.size(); ++i)
    files.push_back({&results_[i], file_names_[i], plan_.where});
  figure_.caption = plan_.text;
  std::string settings = settings_caption(files, shown);
  if (without_value_ > 0)
    settings += fmt::format("{}{} point{} no value", settings.empty() ? "" : "; ", without_value_,
                            without_value_ == 1 ? " has" : "s have");
  if (settings.empty()) return;
  const std::string end =
      figure_.caption.empty() ? "" : figure_.caption.substr(figure_.caption.size() - 1);
  figure_.caption += (end.empty() ? "" : end == "." ? " " : ". ") + settings + '.';
}

}  // namespace

std::vector<PlanFigure> figures_of_results(const std::string& path) {
  return figures_from_json(fact_of(read_sweep(path).facts, "figures"));
}

std::string figure_title(const PlanFigure& figure) {
  if (!figure.title.empty()) return figure.title;
  if (figure.kind == FigureKind::heat_map)
    return fmt::format("{} over {} and {}", figure.cells, figure.x, figure.y.front());
  return fmt::format("{} over {}", fmt::join(figure.y, ", "), figure.x);
}

Figure figure_of(const PlanFigure& figure, const Texts& paths) try {
  return FigureBuilder(figure, paths).build();
} catch (const UsageError& error) {
  if (figure.name.empty()) throw;
  throw UsageError(fmt::format("figure {}: {}", quote(figure.name), error.what()));
}

}  // namespace kernbench
