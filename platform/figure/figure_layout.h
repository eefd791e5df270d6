// Places of a figure's parts on its canvas, in pixels from the top left corner.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/figure/figure.h"

namespace kernbench {

// Sizes of text and line heights in pixels.
inline constexpr double figure_text_px = 13, figure_title_px = 16, figure_caption_px = 12;
inline constexpr double title_line_px = 22, caption_line_px = 17;
// Widths in pixels beyond which texts are cut.
inline constexpr double longest_legend_name_px = 900, longest_category_px = 170;

// Estimated width of a text, on the safe side.
double figure_text_width(const std::string& text, double text_px = figure_text_px);
// Text in lines of at most this width; longer words are cut with "...".
std::vector<std::string> figure_text_lines(const std::string& text, double width, double text_px);
// Text of at most this width, cut in the middle: "abc...xyz".
std::string shortened_text(const std::string& text, double width);

// Labels of the positions on an axis with categories.
struct CategoryLabels {
  bool upright = false;   // rotated by 90 degrees
  std::size_t every = 1;  // step from one labelled position to the next
};

struct FigureLayout {
  double width = 0, height = 0;                     // size of the canvas
  double left = 0, right = 0, top = 0, bottom = 0;  // edges of the axes
  std::vector<std::string> title, caption;          // lines
  double caption_top = 0;                           // top of the first line of the caption
  CategoryLabels x_labels, y_labels;
  bool legend_below = false;
  double legend_x = 0, legend_y = 0;  // top left corner of the legend
  std::size_t legend_rows = 0;        // 0: no legend
  double cell_px = 0;                 // heat maps: width of a cell

  // `legend`: names of the series in the legend.
  FigureLayout(const Figure& figure, const std::vector<std::string>& legend);

 private:
  std::pair<double, double> size_of_axes(const Figure& figure);
  double size_legend(const std::vector<std::string>& legend, double axes_h);
};

}  // namespace kernbench
