#include "sw/ops/experts.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

// One block of the PE's rows: rows of logits and choices are short.
void choose_experts(tl::Program& tl, const tl::Tensor& logits, const tl::Tensor& chosen,
                    const tl::Tensor& weights, const tl::Tensor* assigned) {
  if (!weights.has_local()) return;
  const Range rows = local_rows(weights), top{0, weights.shape()[1]};
  const tl::Handle all = PlacedMatrix(tl, logits).load_async(rows, {0, logits.shape()[1]});
  const auto best = tl.topk_with_indices(all, top.size());
  tl::Handle experts = best.indices, values = best.values;
  if (assigned != nullptr) {
    experts = PlacedMatrix(tl, *assigned).load_async(rows, top);
    values = tl.gather(all, experts, 1);
  }
  tl.store_async(PlacedMatrix(tl, chosen).at(rows, top), experts);
  tl.store_async(PlacedMatrix(tl, weights).at(rows, top), tl.softmax(values, 1));
  tl.wait();
}

void choose_kernel(tl::Program& tl, tl::Tensor logits, tl::Tensor chosen, tl::Tensor weights) {
  choose_experts(tl, logits, chosen, weights, nullptr);
}
void assign_kernel(tl::Program& tl, tl::Tensor logits, tl::Tensor assigned, tl::Tensor chosen,
                   tl::Tensor weights) {
  choose_experts(tl, logits, chosen, weights, &assigned);
}

void copy_own_rows(tl::Program& tl, const std::vector<RowCopy>& copies, const tl::Tensor& x,
                   const tl::Tensor& out) {
  if (!out.has_local()) return;
  const PlacedMatrix from(tl, x), to(tl, out);
  const Range rows = local_rows(out), columns = local_columns(out);
  tl::Handle previous;  // at most two rows in TCM
  bool is_first = true;
  for (const RowCopy& copy : copies) {
    if (copy.to < rows.begin || copy.to >= rows.end) continue;
    const tl::Handle block = from.load_async({copy.from, copy.from + 1}, columns);
    if (!is_first) tl.wait(previous);
    previous = tl.store_async(to.at({copy.to, copy.to + 1}, columns), block);
    is_first = false;
  }
  tl.wait();
}

// The rows of y of different tokens are independent; each token is in the list once.
void add_to_own_rows(tl::Program& tl, const std::vector<RoutedToken>& tokens,
                     const std::vector<bool>& begins, const tl::Tensor& x,
                     const tl::Tensor& weights, const tl::Tensor& y) {
  if (!y.has_local()) return;
  const PlacedMatrix from(tl, x), factors(tl, weights), sums(tl, y);
  const Range rows = local_rows(y), columns{0, y.shape()[1]};
  const tl::Overlap overlap(tl);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [token, choice] = tokens[i];
    if (token < rows.begin || token >= rows.end) continue;
    const auto row = static_cast<std::int64_t>(i);
    const Range own{token, token + 1};
    const tl::Handle product = from.load_async({row, row + 1}, columns),
                     factor = factors.load_async(own, {choice, choice + 1});
    const tl::Handle sum =
        begins[i] ? tl.math(MathOp::mul, {product, factor}, {}, y.dtype())
                  : tl.math(MathOp::fma, {product, factor, tl.load_async(sums.at(own, columns))},
                            {}, y.dtype());
    tl.store(sums.at(own, columns), sum);
  }
  tl.wait();
}

void sum_to_own_rows(tl::Program& tl, const std::vector<std::vector<WeightedRow>>& summands,
                     const tl::Tensor& x, const tl::Tensor& weights, const tl::Tensor& y) {
  if (!y.has_local()) return;
  const PlacedMatrix from(tl, x), factors(tl, weights), sums(tl, y);
  const Range rows = local_rows(y), columns{0, y.shape()[1]};
  const tl::Overlap overlap(tl);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    tl::Handle sum;
    if (row >= static_cast<std::int64_t>(summands.size())) {
      sum = tl.zeros({1, columns.size()}, y.dtype());
    } else {
      const std::vector<WeightedRow>& terms = summands[static_cast<std::size_t>(row)];
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto& [of_x, weight] = terms[i];
        const tl::Handle product = from.load_async({of_x, of_x + 1}, columns),
                         factor = factors.load_async({weight.token, weight.token + 1},
                                                     {weight.choice, weight.choice + 1});
        const DType dtype = i + 1 == terms.size() ? y.dtype() : f32;
        sum = i == 0 ? tl.math(MathOp::mul, {product, factor}, {}, dtype)
                     : tl.math(MathOp::fma, {product, factor, sum}, {}, dtype);
      }
    }
    tl.store(sums.at({row, row + 1}, columns), sum);
  }
  tl.wait();
}

void check_list(const LaunchSpec& launch, const std::vector<RoutedToken>& tokens, std::int64_t rows,
                std::int64_t there) {
  if (static_cast<std::int64_t>(tokens.size()) != rows)
    throw UsageError(fmt::format("{}: {} tokens for {} rows", launch.name(), tokens.size(), rows));
  for (const RoutedToken& each : tokens) {
    if (each.token < 0 || each.token >= there)
      throw UsageError(
          fmt::format("{}: token {}, allowed: 0 to {}", launch.name(), each.token, there - 1));
  }
}

}  // namespace

void route(Torch& torch, const Tensor& logits, const Tensor& chosen, const Tensor& weights,
           const std::optional<Tensor>& assigned) {
  static constexpr const char* name = "route";
  for (const Tensor* out : {&chosen, &weights}) check_whole_rows(name, *out);
  check_shape(name, chosen, weights.shape());
  const std::int64_t tokens = weights.shape()[0], top = weights.shape()[1];
  if (logits.shape().rank() != 2 || logits.shape()[0] != tokens || logits.shape()[1] < top)
    throw UsageError(
        fmt::format("{}: {} experts of '{}' {}, expected {} rows of at least as many "
                    "experts",
                    name, top, logits.name(), logits.shape().str(), tokens));
  if (assigned) {
    check_shape(name, *assigned, weights.shape());
    torch.launch(name, assign_kernel, logits, *assigned, chosen, weights);
  } else {
    torch.launch(name, choose_kernel, logits, chosen, weights);
  }
}

void copy_rows(Torch& torch, const Tensor& x, const std::vector<RowCopy>& rows, const Tensor& out,
               const LaunchSpec& launch) {
  for (const Tensor* tensor : {&x, &out}) refuse_partial(launch.name(), *tensor);
  check_shape(launch.name(), x, {x.shape()[0], out.shape()[1]});
  for (const RowCopy& copy : rows) {
    if (copy.from < 0 || copy.from >= x.shape()[0] || copy.to < 0 || copy.to >= out.shape()[0])
      throw UsageError(fmt::format("{}: row {} of '{}' {} to row {} of '{}' {}", launch.name(),
                                   copy.from, x.name(), x.shape().str(), copy.to, out.name(),
                                   out.shape().str()));
  }
  if (rows.empty()) return;
  torch.launch(
      launch,
      [rows](tl::Program& tl, tl::Tensor from, tl::Tensor to) {
        copy_own_rows(tl, rows, from, to);
      },
      x, out);
}

void add_weighted_rows_(Torch& torch, const Tensor& x, const Tensor& weights,
                        const std::vector<RoutedToken>& tokens, const std::vector<bool>& begins,
                        const Tensor& y, const LaunchSpec& launch) {
  check_whole_rows(launch.name(), y);
  check_list(launch, tokens, x.shape()[0], y.shape()[0]);
  check_shape(launch.name(), x, {x.shape()[0], y.shape()[1]});
  torch.launch(
      launch,
      [tokens, begins](tl::Program& tl, tl::Tensor from, tl::Tensor factors, tl::Tensor to) {
        add_to_own_rows(tl, tokens, begins, from, factors, to);
      },
      x, weights, y);
}

void sum_weighted_rows(Torch& torch, const Tensor& x, const Tensor& weights,
                       const std::vector<std::vector<WeightedRow>>& summands, const Tensor& y,
                       const LaunchSpec& launch) {
  check_whole_rows(launch.name(), y);
  check_shape(launch.name(), x, {x.shape()[0], y.shape()[1]});
  if (static_cast<std::int64_t>(summands.size()) > y.shape()[0])
    throw UsageError(fmt::format("{}: {} sums for '{}' {}", launch.name(), summands.size(),
                                 y.name(), y.shape().str()));
  for (const std::vector<WeightedRow>& terms : summands) {
    for (const auto& [row, weight] : terms) {
      if (row < 0 || row >= x.shape()[0] || weight.token < 0 ||
          weight.token >= weights.shape()[0] || weight.choice < 0 ||
          weight.choice >= weights.shape()[1])
        throw UsageError(fmt::format("{}: row {} of '{}' {} times weight {}, {} of {}",
                                     launch.name(), row, x.name(), x.shape().str(), weight.token,
                                     weight.choice, weights.shape().str()));
    }
  }
  torch.launch(
      launch,
      [summands](tl::Program& tl, tl::Tensor from, tl::Tensor factors, tl::Tensor to) {
        sum_to_own_rows(tl, summands, from, factors, to);
      },
      x, weights, y);
}

}  // namespace kernbench::ops
