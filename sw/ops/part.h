// Moves between placed tensors of one SIP: each PE reads the elements of its part of `out` from the
// shards that have them. Kernels, not host copies. Each call returns when its kernel has ended.
// UsageError: ranks other than 2, shapes that do not fit, dtypes that differ, partial sums.
#pragma once

#include "sw/torch/torch.h"

namespace kernbench::ops {

// out{M, N} = the M rows from `row` on and the N columns from `column` on, of `source`. Also a copy
// with another placement.
void slice(Torch& torch, const Tensor& source, std::int64_t row, std::int64_t column,
           const Tensor& out);

// out{M, n * w} = n blocks {M, w}, which are one below the other in stacked{n * M, w}, side by
// side: torch.cat(stacked.chunk(n, 0), -1).
void unstack_columns(Torch& torch, const Tensor& stacked, const Tensor& out);

// x{M, N} += row{N}, rounded to the dtype of x.
void add_row_(Torch& torch, const Tensor& x, const Tensor& row);

}  // namespace kernbench::ops
