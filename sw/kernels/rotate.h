// Rotation of a vector: out[i] = x[(i + shift) mod n].
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// The programs of the launch take turns at blocks of `block` elements, wherever these lie: the
// addresses are offsets from the two tensors' bases, and the accesses cross whatever boundaries of
// shards and pages they meet.
void rotate(tl::Program& tl, tl::Tensor x, tl::Tensor out, std::int64_t shift, std::int64_t block);

}  // namespace kernbench::kernels
