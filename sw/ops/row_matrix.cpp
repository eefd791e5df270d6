#include "sw/ops/row_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

DPPolicy over_grid(const PeGrid& grid, std::int64_t parts, const Placement& placement) {
  const std::int64_t cubes = std::clamp<std::int64_t>(parts, 1, grid.cubes),
                     pes = std::clamp<std::int64_t>(parts / cubes, 1, grid.pes);
  return {placement, placement, static_cast<int>(cubes), static_cast<int>(pes)};
}

}  // namespace

DPPolicy rows_over(const PeGrid& grid, std::int64_t rows) {
  return over_grid(grid, rows, Placement::row_wise);
}

DPPolicy columns_over(const PeGrid& grid, std::int64_t columns) {
  return over_grid(grid, columns, Placement::column_wise);
}

void check_whole_rows(const std::string& op, const Tensor& tensor) {
  const std::string text = fmt::format("{}: '{}' {}", op, tensor.name(), tensor.shape().str());
  if (tensor.shape().rank() != 2) throw UsageError(text + " has to have rank 2");
  if (tensor.is_partial()) throw UsageError(text + " has partial sums: all_reduce them first");
  for (const tl::Block& block : tensor.info()->blocks) {
    if (block.shape[1] != tensor.shape()[1])
      throw UsageError(text + " has to have whole rows on each PE: cut along axis 0, or copies");
  }
}

void check_shape(const std::string& op, const Tensor& tensor, const Shape& expected) {
  if (tensor.shape() != expected)
    throw UsageError(fmt::format("{}: '{}' is {}, expected {}", op, tensor.name(),
                                 tensor.shape().str(), expected.str()));
}

std::int64_t rows_in(std::uint64_t bytes, std::uint64_t row_bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / row_bytes));
}

tl::BlockPtr rows_of(tl::Program& tl, const tl::Tensor& tensor, const Range& rows,
                     const Range& columns) {
  const std::int64_t width = tensor.shape()[1];
  const auto offset =
      (rows.begin * width + columns.begin) * static_cast<std::int64_t>(size_of(tensor.dtype()));
  const Shape block{rows.size(), columns.size()};
  return tl.make_block_ptr(tensor.ptr() + offset, block.extents(), {width, 1}, {0, 0}, block);
}

}  // namespace kernbench::ops
