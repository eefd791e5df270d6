// Figure of a comparison: a line per tile, message or access, on it a mark per model at the ratio
// of the times; a band of 5 % around equality.
#pragma once

#include <string>

#include "platform/rtl_compare/time_comparison.h"

namespace kernbench {

// SVG. The axis is logarithmic where the ratios span more than a factor of eight. Of many works
// only the groups are named.
std::string comparison_svg(const TimeComparison& comparison);

}  // namespace kernbench
