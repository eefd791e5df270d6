// Parts of a mixture of experts around its products: choice of experts for each token, rows of the
// tokens of one expert, and their weighted sum. The lists of tokens are known on the host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sw/torch/torch.h"

namespace kernbench::ops {

// Token and position of the expert among those of the token: element of chosen and weights.
struct RoutedToken {
  std::int64_t token = 0, choice = 0;
};

// chosen{T, top} (i32): the experts with the largest logits{T, E} of each token, the largest first,
// of equal ones the lower; weights{T, top} (f32): softmax of the logits of the chosen experts. With
// `assigned`{T, top} (i32) these experts are used instead; the choice is computed all the same.
// Each PE computes its rows of `weights`, which are whole. All calls return when the kernel has
// ended, and throw UsageError for shapes that do not fit, rows in parts, partial sums.
void route(Torch& torch, const Tensor& logits, const Tensor& chosen, const Tensor& weights,
           const std::optional<Tensor>& assigned = {});

// Row `to` of out{n, N}: row `from` of x{T, N}.
struct RowCopy {
  std::int64_t from = 0, to = 0;
};
// Rows of `out` that are not in the list keep their values. Each PE writes its part of `out`, which
// is cut along rows or along columns.
void copy_rows(Torch& torch, const Tensor& x, const std::vector<RowCopy>& rows, const Tensor& out,
               const LaunchSpec& launch = "copy_rows");

// y{T, N}: adds row i of x{n, N} times the weight of tokens[i] to the row of that token, in f32,
// rounded once. Where begins[i] is true it replaces the row instead.
void add_weighted_rows_(Torch& torch, const Tensor& x, const Tensor& weights,
                        const std::vector<RoutedToken>& tokens, const std::vector<bool>& begins,
                        const Tensor& y, const LaunchSpec& launch = "add_weighted_rows");

// Row of a tensor, and the token and choice of its weight.
struct WeightedRow {
  std::int64_t row = 0;
  RoutedToken weight;
};
// Row t of y{T, N}: the sum of the rows summands[t] of x{n, N}, at least one, times their weights,
// in this order, in f32, rounded once. Rows of y from the end of the list on are zeros.
void sum_weighted_rows(Torch& torch, const Tensor& x, const Tensor& weights,
                       const std::vector<std::vector<WeightedRow>>& summands, const Tensor& y,
                       const LaunchSpec& launch = "sum_weighted_rows");

}  // namespace kernbench::ops
