// Series of a figure as gnuplot draws them: data, colours, marks, dashes and patterns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/figure/figure.h"

namespace kernbench {

inline constexpr const char* figure_grey = "#4d5560";

// Appearance of the series with this index. Colours are those of Okabe and Ito, which the
// colour-blind can tell apart. Marks, dashes and patterns differ too, for print in grey. As many
// theory series as others have the colours of those, in their order.
struct SeriesStyle {
  std::string colour;
  int mark = 7, pattern = 3;  // gnuplot's pointtype and fill pattern
  std::string dash;           // gnuplot's dashtype: "1", "(8,4)"
};
std::vector<SeriesStyle> series_styles(const Figure& figure);

// Data blocks `$name << EOD`, and the elements of the plot command that draw them.
struct DrawnData {
  std::string blocks;
  std::vector<std::string> elements;

  // Adds a block of rows; returns its name. An empty row interrupts a line.
  std::string add(const std::vector<std::vector<double>>& rows);
};

// Lines with marks; theory series are dashed and have none. A single point always has a mark.
// `join`: false draws marks alone, except for theory series.
void draw_lines(const Figure& figure, const std::vector<std::string>& names, bool join,
                DrawnData& data);
void draw_bars(const Figure& figure, const std::vector<std::string>& names, DrawnData& data);
void draw_stacked_bars(const Figure& figure, const std::vector<std::string>& names,
                       DrawnData& data);
// Pareto front of all series but theory; empty unless the figure is a scatter that shows it.
std::vector<std::pair<double, double>> front_of(const Figure& figure);
// Step line through the front. `name`: in the legend.
void draw_pareto_front(const Figure& figure, const std::string& name, DrawnData& data);
void draw_cells(const Figure& figure, DrawnData& data);

}  // namespace kernbench
