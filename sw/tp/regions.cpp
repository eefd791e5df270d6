#include "sw/tp/regions.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "sw/ops/part.h"

namespace kernbench::tp {
namespace {

void check_rank(const char* call, const Tensor& x) {
  if (x.shape().rank() != 2)
    throw UsageError(fmt::format("{}: '{}' {} has rank {}, expected 2: {{rows, columns}}", call,
                                 x.name(), x.shape().str(), x.shape().rank()));
}

std::string axis_of(const char* call, const char* axis, const Tensor& x) {
  return fmt::format("{}: number of {} of '{}' {}", call, axis, x.name(), x.shape().str());
}

Tensor result(const ParallelState& state, const Shape& shape, const Tensor& x,
              const std::optional<DPPolicy>& policy = {}) {
  return state.torch().empty(shape, x.dtype(), policy.value_or(x.policy()), x.name());
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
  static constexpr const char* call = "scatter_to_tp_region";
  check_rank(call, x);
  if (state.size() == 1) return x;
  const std::int64_t columns = state.part_of(axis_of(call, "columns", x), x.shape()[1]);
  const Tensor part = result(state, {x.shape()[0], columns}, x, policy);
  ops::slice(state.torch(), x, 0, state.rank() * columns, part);
  return part;
}

Tensor gather_from_tp_region(const ParallelState& state, const Tensor& x,
                             std::optional<DPPolicy> policy) {
  check_rank("gather_from_tp_region", x);
  if (state.size() == 1) return x;
  const Tensor stacked = gather_from_sequence_parallel_region(state, x);
  const Tensor whole = result(state, {x.shape()[0], x.shape()[1] * state.size()}, x, policy);
  ops::unstack_columns(state.torch(), stacked, whole);
  return whole;
}

Tensor scatter_to_sequence_parallel_region(const ParallelState& state, const Tensor& x,
                                           std::optional<DPPolicy> policy) {
  static constexpr const char* call = "scatter_to_sequence_parallel_region";
  check_rank(call, x);
  if (state.size() == 1) return x;
  const std::int64_t rows = state.part_of(axis_of(call, "rows", x), x.shape()[0]);
  const Tensor part = result(state, {rows, x.shape()[1]}, x, policy);
  ops::slice(state.torch(), x, state.rank() * rows, 0, part);
  return part;
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
  const std::int64_t rows = state.part_of(axis_of(call, "rows", x), x.shape()[0]);
  const Tensor part = result(state, {rows, x.shape()[1]}, x);
  state.torch().distributed.reduce_scatter_tensor(part, x, ReduceOp::sum, state.group());
  return part;
}

}  // namespace kernbench::tp
