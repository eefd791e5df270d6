// Operands of a launch: checks and their messages, placements over a grid of PEs, and the PEs that
// hold them.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "sw/runtime/launch.h"
#include "sw/runtime/tensor.h"
#include "sw/tl/dtypes.h"

namespace kernbench::ops {

// "'x' f16{2, 64}"
inline std::string text_of(const Tensor& tensor) {
  return fmt::format("'{}' {}", tensor.name(), describe(tensor.dtype(), tensor.shape()));
}

// Launch on the PEs that hold parts of `tensors`, in every cube of the arguments.
inline LaunchSpec launch_on_holders(const std::string& name, const std::vector<Tensor>& tensors) {
  std::set<int> pes;
  for (const Tensor& tensor : tensors) {
    for (const tl::Block& block : tensor.info()->blocks) pes.insert(block.where.pe);
  }
  return LaunchSpec(name).on_pes({pes.begin(), pes.end()});
}

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
void refuse_partial(const std::string& op, const Tensor& tensor);

// Rows of a block that fit `bytes`; at least one.
std::int64_t rows_in(std::uint64_t bytes, std::uint64_t row_bytes);

}  // namespace kernbench::ops
