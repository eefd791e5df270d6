// Legend of a diagram, in rows below what it explains.
#pragma once

#include <string>

#include "platform/topology/diagram.h"
#include "platform/topology/drawing.h"
#include "platform/topology/utilisation.h"

namespace kernbench {

class DiagramLegend {
 public:
  // Below `content` of the drawing, as wide as that, or wider where it is narrow.
  DiagramLegend(const Diagram& diagram, Drawing& drawing, const Box& content);

  void scale_bar(double px_per_mm);
  void blocks();                           // colours of the kinds that the view has
  void links();                            // of each kind that it has: bandwidths and lengths
  void colour_scale(double top_of_scale);  // of the utilisation
  void busiest(const Utilisation& utilisation);
  void note(const std::string& text);

 private:
  // The left end, at half height, of an entry of this width: in this row, or the next one.
  Point place(double width);
  void new_row();
  void words(Point at, const std::string& text);

  const Diagram& diagram_;
  Drawing& drawing_;
  Box content_;
  Point next_;
};

}  // namespace kernbench
