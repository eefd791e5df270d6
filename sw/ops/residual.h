// Residual addition of a block of a result to a stream of tokens.
#pragma once

#include <cstdint>
#include <optional>

#include "sw/ops/placed_matrix.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// Elements of `out`, and those of `x` in the same columns, from a row on.
struct ResidualBlock {
  Range rows, columns;
  std::int64_t x_row = 0;
};

// out[rows, columns] = x[x_row..., columns] + y (+ bias{N} in these columns), in f32, rounded once.
// x and y have any placement; y has the block's rows first, and its columns. `out` has whole rows
// on each PE, which computes its own; it may be x if x_row is the first row. Returns when the
// kernel has ended. UsageError: shapes that do not fit, rows of `out` in parts, partial sums.
void add_residual(Torch& torch, const Tensor& x, const Tensor& y, const std::optional<Tensor>& bias,
                  const Tensor& out, const ResidualBlock& block,
                  const LaunchSpec& launch = "add_residual");

}  // namespace kernbench::ops
