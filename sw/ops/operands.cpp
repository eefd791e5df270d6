#include "sw/ops/operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

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

void refuse_partial(const std::string& op, const Tensor& tensor) {
  if (tensor.is_partial())
    throw UsageError(
        fmt::format("{}: '{}' has partial sums: all_reduce them first", op, tensor.name()));
}

std::int64_t rows_in(std::uint64_t bytes, std::uint64_t row_bytes) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / row_bytes));
}

}  // namespace kernbench::ops
