#include "platform/sweep/measured_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/sweep/axis_values.h"

namespace kernbench {
namespace {

using Texts = std::vector<std::string>;

UsageError fault(const std::string& path, std::size_t line, const std::string& what) {
  return UsageError(fmt::format("{}:{}: {}", path, line, what));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Texts cells_of(const std::string& line) {
  Texts cells;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = line.find(',', at);
    cells.push_back(trimmed(line.substr(at, end == std::string::npos ? end : end - at)));
  }
  return cells;
}

void check_header(const MeasuredCsv& measured, std::size_t line) {
  const Texts& columns = measured.columns;
  if (columns.size() < 2)
    throw fault(measured.path, line,
                "the header needs a column of x and one of y, as in K,time_ns");
  for (const std::string& each : columns) {
    if (each.empty()) throw fault(measured.path, line, "the header has a column without a name");
    if (std::count(columns.begin(), columns.end(), each) > 1)
      throw fault(measured.path, line, fmt::format("the header names {} twice", quote(each)));
  }
}

MeasuredCsv::Row row_of(const MeasuredCsv& measured, const Texts& cells, std::size_t line) {
  if (cells.size() != measured.columns.size())
    throw fault(
        measured.path, line,
        fmt::format("found {} cells, the header has {}", cells.size(), measured.columns.size()));
  MeasuredCsv::Row row{line, cells.front(), {}};
  if (row.x.empty()) throw fault(measured.path, line, "the cell of x is empty");
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::optional<double> number = number_of(cells[i]);
    if (!number && !cells[i].empty())
      throw fault(measured.path, line,
                  fmt::format("{}: found {}, allowed is a number, or nothing",
                              quote(measured.columns[i]), quote(cells[i])));
    row.y.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return row;
}

// Position of x in the figure.
double position_of(const MeasuredCsv& measured, const MeasuredCsv::Row& row, const Figure& figure) {
  const Texts& categories = figure.x.categories;
  const std::optional<double> number = number_of(row.x);
  if (categories.empty() && number) return *number;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    if (categories[i] == row.x || (number && number_of(categories[i]) == number))
      return static_cast<double>(i);
  }
  throw fault(
      measured.path, row.line,
      fmt::format("{}: found {}, allowed is {}", quote(measured.columns.front()), quote(row.x),
                  categories.empty() ? "a number" : "a value that the figure has"));
}

}  // namespace

MeasuredCsv read_measured(const std::string& path) {
  MeasuredCsv measured;
  measured.path = path;
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw UsageError(fmt::format("{} cannot be read", quote(path)));
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    if (measured.columns.empty()) {
      measured.columns = cells_of(text);
      check_header(measured, number);
    } else {
      measured.rows.push_back(row_of(measured, cells_of(text), number));
    }
  }
  if (measured.rows.empty())
    throw UsageError(fmt::format("{} has no row of measurements", quote(path)));
  return measured;
}

bool add_measured(const MeasuredCsv& measured, const PlanFigure& plan, Figure& figure) {
  if (plan.x != measured.columns.front() || plan.kind == FigureKind::heat_map) return false;
  bool added = false;
  for (std::size_t i = 1; i < measured.columns.size(); ++i) {
    const std::string& column = measured.columns[i];
    if (std::find(plan.y.begin(), plan.y.end(), column) == plan.y.end()) continue;
    FigureSeries series;
    series.name = std::filesystem::path(measured.path).stem().string();
    if (plan.y.size() > 1) series.name += ": " + column;
    std::vector<std::pair<double, double>> points;
    for (const MeasuredCsv::Row& row : measured.rows)
      points.emplace_back(position_of(measured, row, figure), row.y[i - 1]);
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [x, y] : points) {
      series.x.push_back(x);
      series.y.push_back(y);
    }
    // A single series without a name needs one now.
    for (FigureSeries& each : figure.series) {
      if (each.name.empty()) each.name = "simulated";
    }
    figure.series.push_back(std::move(series));
    added = true;
  }
  return added;
}

}  // namespace kernbench
