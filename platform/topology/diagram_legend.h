// Legend of a diagram, in rows below the picture.
#pragma once

#include <string>

#include "platform/topology/diagram.h"
#include "platform/topology/drawing.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

class DiagramLegend {
 public:
  // Placed below `content` of the drawing, of the same width, or wider if that is narrow.
  DiagramLegend(const Diagram& diagram, Drawing& drawing, const Box& content);

  void scale_bar(double px_per_mm);
  void blocks();                           // colours of the kinds in the view
  void links();                            // bandwidths and lengths of each kind in the view
  void colour_scale(double top_of_scale);  // scale of the utilisation
  void busiest(const Utilisation& utilisation);
  void note(const std::string& text);

 private:
  // Left end, at half height, of an entry of this width: in this row, or the next one.
  Point place(double width);
  void new_row();
  void words(Point at, const std::string& text);

  const Diagram& diagram_;
  Drawing& drawing_;
  Box content_;
  Point next_;
};

}  // namespace kernbench
