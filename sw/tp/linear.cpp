#include "sw/tp/linear.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "models/base/errors.h"
#include "sw/ops/elementwise.h"
#include "sw/tp/part_of_array.h"
#include "sw/tp/regions.h"

namespace kernbench::tp {
namespace {

bool cuts_columns(const Placement& placement) {
  return placement == Placement::column_wise || placement == Placement::cut(1);
}

// Placement of the result of a weight's part: its columns, and partial sums of its rows.
Placement of_result(const Placement& weight) {
  if (weight == Placement::row_wise) return Placement::partial;
  return weight;
}
DPPolicy result_policy(const DPPolicy& weight) {
  return {of_result(weight.cube), of_result(weight.pe), weight.num_cubes, weight.num_pes};
}

// Placement of a vector next to the columns of a matrix.
Placement of_row(const Placement& matrix) {
  return cuts_columns(matrix) ? Placement::column_wise : Placement::replicate;
}
DPPolicy row_policy(const DPPolicy& matrix) {
  return {of_row(matrix.cube), of_row(matrix.pe), matrix.num_cubes, matrix.num_pes};
}

void check_policy(const std::string& name, const DPPolicy& policy) {
  for (const Placement& each : {policy.cube, policy.pe}) {
    if (!each.replicates() && !cuts_columns(each) && each != Placement::row_wise)
      throw UsageError(fmt::format("{}: policy {}: expected replicate, column_wise or row_wise",
                                   name, policy.str()));
  }
}

void check_input(const std::string& name, const Tensor& x, std::int64_t columns,
                 const std::string& meaning) {
  if (x.shape().rank() != 2 || x.shape()[1] != columns)
    throw UsageError(fmt::format("{}: input '{}' {}, expected {{M, {}}}: {}", name, x.name(),
                                 x.shape().str(), columns, meaning));
}

// Weight and, if the layer has one, bias of a rank, all zero.
template <class Options>
std::pair<Tensor, Tensor> zeros_of(const ParallelState& state, const Shape& weight,
                                   const Options& options) {
  check_policy(options.name, options.policy);
  Torch& torch = state.torch();
  return {torch.zeros(weight, options.dtype, options.policy, options.name + "_weight"),
          options.bias ? torch.zeros({weight[1]}, options.dtype, row_policy(options.policy),
                                     options.name + "_bias")
                       : Tensor()};
}

}  // namespace

ColumnParallelLinear::ColumnParallelLinear(const ParallelState& state, std::int64_t in_features,
                                           std::int64_t out_features,
                                           const ColumnParallelOptions& options)
    : state_(state), in_(in_features), out_(out_features), options_(options) {
  if (options.gather_output && options.sequence_parallel)
    throw UsageError(
        fmt::format("{}: gather_output and sequence_parallel exclude each other", options.name));
  const std::int64_t columns = state.part_of(options.name + ": out_features", out_features);
  std::tie(weight, bias) = zeros_of(state, {in_features, columns}, options);
}

void ColumnParallelLinear::copy_weight_(const HostArray& whole) {
  check_array(options_.name + ": weight", whole, {in_, out_}, options_.dtype);
  const std::int64_t columns = weight.shape()[1];
  weight.copy_(part_of_array(whole, {0, state_.rank() * columns}, weight.shape()));
}

void ColumnParallelLinear::copy_bias_(const HostArray& whole) {
  check_array(options_.name + ": bias", whole, {out_}, options_.dtype);
  bias.copy_(part_of_array(whole, {state_.rank() * bias.shape()[0]}, bias.shape()));
}

Tensor ColumnParallelLinear::forward(const Tensor& x) const {
  check_input(options_.name, x, in_, "in_features");
  const Tensor whole = options_.sequence_parallel ? gather_from_sequence_parallel_region(state_, x)
                                                  : copy_to_tp_region(state_, x);
  Torch& torch = state_.torch();
  const Tensor y = torch.empty({whole.shape()[0], weight.shape()[1]}, options_.dtype,
                               result_policy(options_.policy), options_.name);
  ops::MatmulOptions product;
  if (options_.bias) product.bias = bias;
  product.activation = options_.activation;
  product.name = options_.name;
  ops::matmul(torch, whole, weight, y, product);
  return options_.gather_output ? gather_from_tp_region(state_, y) : y;
}

RowParallelLinear::RowParallelLinear(const ParallelState& state, std::int64_t in_features,
                                     std::int64_t out_features, const RowParallelOptions& options)
    : state_(state), in_(in_features), out_(out_features), options_(options) {
  if (options.sequence_parallel && !options.input_is_parallel)
    throw UsageError(fmt::format("{}: sequence_parallel requires input_is_parallel", options.name));
  const std::int64_t rows = state.part_of(options.name + ": in_features", in_features);
  std::tie(weight, bias) = zeros_of(state, {rows, out_features}, options);
}

void RowParallelLinear::copy_weight_(const HostArray& whole) {
  check_array(options_.name + ": weight", whole, {in_, out_}, options_.dtype);
  const std::int64_t rows = weight.shape()[0];
  weight.copy_(part_of_array(whole, {state_.rank() * rows, 0}, weight.shape()));
}

void RowParallelLinear::copy_bias_(const HostArray& whole) {
  check_array(options_.name + ": bias", whole, {out_}, options_.dtype);
  bias.copy_(whole);
}

Tensor RowParallelLinear::forward(const Tensor& x) const {
  check_input(options_.name, x, options_.input_is_parallel ? weight.shape()[0] : in_,
              options_.input_is_parallel ? "the rank's part of in_features" : "in_features");
  const Tensor part = options_.input_is_parallel ? x : scatter_to_tp_region(state_, x);
  Torch& torch = state_.torch();
  const Tensor product = torch.empty({x.shape()[0], out_}, options_.dtype,
                                     result_policy(options_.policy), options_.name);
  ops::MatmulOptions matmul;
  matmul.name = options_.name;
  ops::matmul(torch, part, weight, product, matmul);
  const Tensor y = options_.sequence_parallel
                       ? reduce_scatter_to_sequence_parallel_region(state_, product)
                       : reduce_from_tp_region(state_, product);
  if (options_.bias) ops::elementwise(torch, MathOp::add, {y, bias}, y);
  return y;
}

}  // namespace kernbench::tp
