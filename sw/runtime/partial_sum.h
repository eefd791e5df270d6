// Sum of partial sums of a tensor on the host, element by element: floats in f32 in the order of
// the summands and rounded once, integers modulo their range.
#pragma once

#include <cstddef>
#include <vector>

#include "models/base/dtype.h"

namespace kernbench {

// Sums dense elements of one shape; at least one summand.
std::vector<std::byte> sum_of(DType dtype, const std::vector<std::vector<std::byte>>& summands);

}  // namespace kernbench
