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

void gather_own_rows(tl::Program& tl, const std::vector<RoutedToken>& tokens, const tl::Tensor& x,
                     const tl::Tensor& out) {
  if (!out.has_local()) return;
  const PlacedMatrix from(tl, x), to(tl, out);
  const Range rows = local_rows(out), columns{0, out.shape()[1]};
  tl::Handle previous;  // at most two rows in TCM
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t token = tokens[static_cast<std::size_t>(row)].token;
    const tl::Handle block = from.load_async({token, token + 1}, columns);
    if (row > rows.begin) tl.wait(previous);
    previous = tl.store_async(to.at({row, row + 1}, columns), block);
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

void gather_rows(Torch& torch, const Tensor& x, const std::vector<RoutedToken>& tokens,
                 const Tensor& out, const LaunchSpec& launch) {
  check_whole_rows(launch.name(), out);
  check_list(launch, tokens, out.shape()[0], x.shape()[0]);
  check_shape(launch.name(), x, {x.shape()[0], out.shape()[1]});
  torch.launch(
      launch,
      [tokens](tl::Program& tl, tl::Tensor from, tl::Tensor to) {
        gather_own_rows(tl, tokens, from, to);
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

}  // namespace kernbench::ops
