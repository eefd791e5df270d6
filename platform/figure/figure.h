// A figure: what it shows, without pixels (spec 10.7). gnuplot draws it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

enum class FigureKind : std::uint8_t { lines, bars, stacked_bars, scatter, roofline, heat_map };

struct FigureAxis {
  std::string label;  // with unit: "time (ns)"
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};  // none: from the data
  // Names of the positions 0, 1, ...: x of bars, x and y of heat maps.
  std::vector<std::string> categories = {};
};

struct FigureSeries {
  std::string name;          // in the legend; "": not in it
  std::vector<double> x, y;  // as many of each; NaN: no value there. With categories x is an index
  std::vector<std::string> labels = {};  // texts next to the points: none, or one per point
  bool theory = false;                   // drawn as a dashed line without marks, bars as outlines
};

struct Figure {
  FigureKind kind = FigureKind::lines;
  std::string title, caption;  // caption: one paragraph below the axes; may be empty
  FigureAxis x, y;
  std::vector<FigureSeries> series;
  // Heat map: value at [y][x], NaN: none; with the label of its scale.
  std::vector<std::vector<double>> cells = {};
  std::string cells_label = {};
  bool pareto_front = false;  // scatter: joins the points that no other point beats, lower x and y
                              // being better unless `higher_y` is set
  bool higher_y = false;
};

// Draws to a file by the extension of its name: .svg, .png, .pdf; complete or not at all. Equal
// figures give equal SVG. UsageError: another extension, gnuplot is not installed (names its
// package), no value to draw, a value <= 0 on a logarithmic axis, or a negative part of a stacked
// bar; Error: gnuplot fails, or the file cannot be written.
void write_figure(const Figure& figure, const std::string& path);

// Before work that ends with a figure: the extension, and that gnuplot is installed. UsageError.
void check_figure_file(const std::string& path);

// The SVG as text, for pages. Throws the errors of write_figure().
std::string figure_svg(const Figure& figure);

}  // namespace kernbench
