// Parts of host arrays: what a rank has of a weight.
#pragma once

#include <string>
#include <vector>

#include "sw/runtime/host_array.h"

namespace kernbench::tp {

// UsageError that names `what` unless shape and dtype are these.
void check_array(const std::string& what, const HostArray& array, const Shape& shape, DType dtype);

// Box of `shape` at `start`; elements outside of `whole`, on axis 0, are 0.
HostArray part_of_array(const HostArray& whole, const std::vector<std::int64_t>& start,
                        const Shape& shape);

}  // namespace kernbench::tp
