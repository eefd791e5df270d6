#include "sw/tp/regions.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/ops/copy.h"

namespace kernbench::tp {
namespace {

void check_rank(const char* call, const Tensor& x) {
  if (x.shape().rank() != 2)
    throw UsageError(fmt::format("{}: '{}' {} has rank {}, expected 2: {{rows, columns}}", call,
                                 x.name(), x.shape().str(), x.shape().rank()));
}

Tensor result(const ParallelState& state, const Shape& shape, const Tensor& x,
              const std::optional<DPPolicy>& policy = {}) {
  return state.torch().empty(shape, x.dtype(), policy.value_or(x.policy()), x.name());
}

// The rank's part of an axis of x, without values.
Tensor part_of(const char* call, const ParallelState& state, const Tensor& x, std::size_t axis,
               const std::optional<DPPolicy>& policy = {}) {
  std::vector<std::int64_t> extents = x.shape().extents();
  extents[axis] =
      state.part_of(fmt::format("{}: number of {} of '{}' {}", call, axis == 0 ? "rows" : "columns",
                                x.name(), x.shape().str()),
                    extents[axis]);
  return result(state, Shape(extents), x, policy);
}

Tensor scatter(const char* call, const ParallelState& state, const Tensor& x, std::size_t axis,
               const std::optional<DPPolicy>& policy) {
  check_rank(call, x);
  if (state.size() == 1) return x;
  const Tensor part = part_of(call, state, x, axis, policy);
  std::vector<std::int64_t> start{0, 0};
  start[axis] = state.rank() * part.shape()[axis];
  ops::slice(state.torch(), x, start, part);
  return part;
}

}  // namespace

Tensor copy_to_tp_region(const ParallelState& state, const Tensor& x) {
  state.torch();
  return x;
}

Tensor reduce_from_tp_region(const ParallelState& state, const Tensor& x) {
  if (state.size() > 1 || x.is_partial())
    state.torch().distributed.all_reduce(x, ReduceOp::sum, state.group());
  return x;
}

Tensor scatter_to_tp_region(const ParallelState& state, const Tensor& x,
                            std::optional<DPPolicy> policy) {
  return scatter("scatter_to_tp_region", state, x, 1, policy);
}

Tensor gather_from_tp_region(const ParallelState& state, const Tensor& x,
                             std::optional<DPPolicy> policy) {
  check_rank("gather_from_tp_region", x);
  if (state.size() == 1) return x;
  const Tensor stacked = gather_from_sequence_parallel_region(state, x);
  const Tensor whole = result(state, {x.shape()[0], x.shape()[1] * state.size()}, x, policy);
  std::vector<ops::BoxCopy> parts;
  for (int rank = 0; rank < state.size(); ++rank)
    parts.push_back({{rank * x.shape()[0], 0}, {{0, rank * x.shape()[1]}, x.shape().extents()}});
  ops::copy(state.torch(), stacked, whole, parts);
  return whole;
}

Tensor scatter_to_sequence_parallel_region(const ParallelState& state, const Tensor& x,
                                           std::optional<DPPolicy> policy) {
  return scatter("scatter_to_sequence_parallel_region", state, x, 0, policy);
}

Tensor gather_from_sequence_parallel_region(const ParallelState& state, const Tensor& x) {
  check_rank("gather_from_sequence_parallel_region", x);
  if (state.size() == 1) return x;
  const Tensor whole = result(state, {x.shape()[0] * state.size(), x.shape()[1]}, x);
  state.torch().distributed.all_gather_into_tensor(whole, x, state.group());
  return whole;
}

Tensor reduce_scatter_to_sequence_parallel_region(const ParallelState& state, const Tensor& x) {
  static constexpr const char* call = "reduce_scatter_to_sequence_parallel_region";
  check_rank(call, x);
  if (state.size() == 1) return x;
  const Tensor part = part_of(call, state, x, 0);
  state.torch().distributed.reduce_scatter_tensor(part, x, ReduceOp::sum, state.group());
  return part;
}

}  // namespace kernbench::tp
