// The parts of a tensor that has one for each rank: of all_gather_into_tensor,
// reduce_scatter_tensor and all_to_all_single. Each is a tensor within the memory of the whole: its
// blocks say which PE moves which bytes.
#pragma once

#include <string>
#include <vector>

#include "sw/tl/ptr.h"

namespace kernbench {

// `count` parts, one after the other along axis 0 ("concat": {count * n, ...}) or along an axis of
// their own before it ("stack": {count, n, ...}). `part`: a tensor that has the shape and the
// placement of each; null: concat, and of the placement of the whole. UsageError of `call`: the
// shapes do not fit; a PE that has a block of `part` has not the same block of each part, and the
// two do not both lie row after row.
std::vector<tl::TensorInfoPtr> parts_of(const std::string& call, const tl::TensorInfoPtr& whole,
                                        int count, const tl::TensorInfoPtr& part);

}  // namespace kernbench
