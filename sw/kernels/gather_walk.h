// A walk along a linked list in memory.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// From node `start`, along next[node] until that is negative: each address depends on the value
// loaded before, and so does the number of steps. The rows of `table` go to those of `out` in the
// order of the walk, their sum to `total`{1, width}. One program; next is i32{nodes}. Needs a run
// with data.
void gather_walk(tl::Program& tl, tl::Tensor next, tl::Tensor table, tl::Tensor out,
                 tl::Tensor total, std::int64_t start);

}  // namespace kernbench::kernels
