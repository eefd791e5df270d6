// Page of a sweep: figures, tables of the results, configurations, commands (spec 10.8).
#pragma once

#include <string>
#include <vector>

#include "platform/page/page_table.h"
#include "platform/sweep/sweep_results.h"

namespace kernbench {

struct PageFigure {
  std::string title, caption;  // caption: paragraphs, may be empty
  std::string svg;             // empty: there is no picture, for the reason in `fault`
  std::string fault;
};

struct SweepPage {
  std::string title, text;  // text: paragraphs on the question of the sweep; may be empty
  std::vector<PageFigure> figures;
  std::vector<std::string> figure_columns;  // columns that the figures use
  std::string results_csv;                  // name of the file with all numbers
  std::vector<std::string> left_out = {};   // derived columns that are not valid: the reasons
  std::size_t absent = 0;                   // points of the plan that the results do not have
};

// Whole document. Columns of the table of results: point, status, axes, simulated time, columns
// that figures use, derived columns, messages. "all columns" shows the others too, except for those
// with equal values at all points, which are listed once.
std::string sweep_page_html(const SweepPage& page, const SweepResults& results);

// Table of results of this page.
PageTable sweep_table(const SweepPage& page, const SweepResults& results);

}  // namespace kernbench
