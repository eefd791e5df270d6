// A block seen as lines along one axis: element `i` of line (outer, inner) stands at
// (outer * extent + i) * inner_count + inner in row-major order.
#pragma once

#include <cstdint>

#include "models/data/shape_rules.h"

namespace kernbench {

struct AxisLines {
  std::int64_t outer = 1, extent = 1, inner = 1;

  AxisLines(const Shape& shape, int axis) {
    const auto at = static_cast<std::size_t>(normalized_axis(shape, axis));
    for (std::size_t i = 0; i < shape.rank(); ++i)
      (i < at ? outer : i == at ? extent : inner) *= shape[i];
  }
  std::int64_t first(std::int64_t line) const {
    return line / inner * extent * inner + line % inner;
  }
  std::int64_t lines() const { return outer * inner; }
};

}  // namespace kernbench
