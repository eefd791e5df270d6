// Parts of a tensor that has one part per rank (all_gather_into_tensor, reduce_scatter_tensor,
// all_to_all_single). Each part is a tensor within the memory of the whole: its blocks define which
// PE moves which bytes.
#pragma once

#include <string>
#include <vector>

#include "sw/tl/ptr.h"

namespace kernbench {

// Returns `count` parts, concatenated along axis 0 ("concat": {count * n, ...}) or along an own
// axis before it ("stack": {count, n, ...}). `part`: a tensor with the shape and placement of each
// part; null: concat with the placement of the whole. UsageError of `call`: the shapes do not fit;
// a PE with a block of `part` does not have the same block of each part, and the rows of the two
// are not both contiguous.
std::vector<tl::TensorInfoPtr> parts_of(const std::string& call, const tl::TensorInfoPtr& whole,
                                        int count, const tl::TensorInfoPtr& part);

}  // namespace kernbench
