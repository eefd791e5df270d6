// Page of a sweep: figures, tables of the results, configurations, commands (spec 10.8).
#pragma once

#include <string>
#include <vector>

#include "platform/sweep/sweep_results.h"

namespace kernbench {

struct PageFigure {
  std::string file;            // next to the page: "utilisation.svg"
  std::string title, caption;  // caption: paragraphs, may be empty
  std::string svg;             // empty: there is no picture, and `fault` says why
  std::string fault;
};

struct SweepPage {
  std::string title, text;  // text: paragraphs, what the sweep asks; may be empty
  std::vector<PageFigure> figures;
  std::vector<std::string> figure_columns;  // columns that the figures use
  std::string results_csv;                  // name of the file with all numbers
};

// The whole document. Columns of the table of results: point, status, axes, simulated time, those
// of the figures, derived ones, messages; all others with "all columns", unless they are equal at
// all points, which are listed once.
std::string sweep_page_html(const SweepPage& page, const SweepResults& results);

}  // namespace kernbench
