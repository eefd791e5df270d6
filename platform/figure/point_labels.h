// Places of the labels of points, so that a label covers no point and no other label.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kernbench {

struct LabelledPoint {
  double x = 0, y = 0;  // pixels, y downwards
  std::string label;
};

struct LabelPlace {
  double x = 0, y = 0;         // pixels
  const char* align = "left";  // "left", "right", "center"
};

// One per point; none where there is no room, or no label. `left` to `bottom`: the axes.
std::vector<std::optional<LabelPlace>> place_labels(const std::vector<LabelledPoint>& points,
                                                    double left, double right, double top,
                                                    double bottom, double text_px);

}  // namespace kernbench
