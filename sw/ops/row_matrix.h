// Tensors {M, N} that lie row by row in their addresses: cut along axis 0 alone, or copies. One
// access reaches rows of several shards.
#pragma once

#include <string>

#include "sw/ops/placed_matrix.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// PEs of a SIP that share the work: the first `pes` of each of the first `cubes`.
struct PeGrid {
  int cubes = 1, pes = 1;
  int count() const { return cubes * pes; }
};

// Rows, or columns, over all PEs of the grid, or over fewer PEs if there are fewer.
DPPolicy rows_over(const PeGrid& grid, std::int64_t rows);
DPPolicy columns_over(const PeGrid& grid, std::int64_t columns);

// UsageError, naming the operator and the tensor: rank other than 2, rows in parts, partial sums.
void check_whole_rows(const std::string& op, const Tensor& tensor);
// UsageError unless the tensor has this shape.
void check_shape(const std::string& op, const Tensor& tensor, const Shape& expected);

// Rows of a block that fit `bytes`; at least one.
std::int64_t rows_in(std::uint64_t bytes, std::uint64_t row_bytes);

// Elements in memory. The tensor has whole rows.
tl::BlockPtr rows_of(tl::Program& tl, const tl::Tensor& tensor, const Range& rows,
                     const Range& columns);

}  // namespace kernbench::ops
