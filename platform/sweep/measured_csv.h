// Outside measurements next to own results: a CSV whose header names the columns of a figure.
#pragma once

#include <string>
#include <vector>

#include "platform/figure/figure.h"
#include "platform/sweep/plan_figure.h"

namespace kernbench {

// Table: the first column is x, the others are y, named as the columns of the figures: "K,time_ns".
struct MeasuredCsv {
  struct Row {
    std::size_t line = 0;
    std::string x;
    std::vector<double> y;  // NaN: an empty cell
  };
  std::string path;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

// Lines that begin with '#' and empty ones are left out. UsageError with the line: too few or too
// many cells, a cell of y that is no number, a repeated or empty name, no row.
MeasuredCsv read_measured(const std::string& path);

// Adds a series for each column that the figure has as y, if it has the same x; returns whether it
// did. UsageError with the line: x is no number, or no category of the figure.
bool add_measured(const MeasuredCsv& measured, const PlanFigure& plan, Figure& figure);

}  // namespace kernbench
