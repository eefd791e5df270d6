// Commands of gnuplot for an axis with numbers: range, scale and its marks.
#pragma once

#include <string>
#include <vector>

#include "platform/figure/figure.h"

namespace kernbench {

struct AxisRange {
  double low = 0, high = 1;
  bool logarithmic = false;

  // Position from 0 to 1.
  double share(double value) const;
};

// Range that has all `values` (finite, at least one, positive on a logarithmic axis), with a margin
// where the axis does not set its ends. `from_zero`: a linear axis starts at zero unless values are
// negative.
AxisRange axis_range(const FigureAxis& axis, const std::vector<double>& values, bool from_zero);

// Lines that set range, scale and marks of the axis "x" or "y". If all values are powers of two, so
// are the marks: 512, 1Ki, 2Ki.
std::string axis_script(const std::string& name, const AxisRange& range,
                        const std::vector<double>& values);

// Number as text of a mark: 5000, 20k, 1.5M; binary 512, 1Ki.
std::string tick_text(double value, bool binary = false);

}  // namespace kernbench
