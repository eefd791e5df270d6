// Sum of partial sums of a tensor, as the host computes it: element by element, floats in f32 in
// the order of the summands and rounded once, integers modulo their range.
#pragma once

#include <cstddef>
#include <vector>

#include "models/base/dtype.h"

namespace kernbench {

// Dense elements of one shape; one summand at least.
std::vector<std::byte> sum_of(DType dtype, const std::vector<std::vector<std::byte>>& summands);

}  // namespace kernbench
