#include "sw/dtensor/operators.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/dtensor/sharding_strategy.h"
#include "sw/ops/copy.h"
#include "sw/ops/elementwise.h"
#include "sw/ops/matmul.h"

namespace kernbench::dtensor {
namespace {

void check_meshes(const std::string& call, const std::vector<DTensor>& operands) {
  const DTensor& first = operands.front();
  for (const DTensor& other : operands) {
    if (other.device_mesh() != first.device_mesh())
      throw UsageError(fmt::format("{}: '{}' is on {}, '{}' on {}; one mesh is expected", call,
                                   first.name(), first.device_mesh().str(), other.name(),
                                   other.device_mesh().str()));
  }
}

std::vector<DTensor> redistributed(const std::string& call, const std::vector<DTensor>& operands,
                                   const std::vector<Placements>& placements) {
  std::vector<DTensor> result;
  for (std::size_t i = 0; i < operands.size(); ++i)
    result.push_back(
        operands[i].redistributed(fmt::format("{}, operand {}", call, i), placements[i]));
  return result;
}

// Result of an operator on local tensors, not yet computed.
DTensor result_of(const DTensor& like, const std::string& name, const Shape& shape, DType dtype,
                  const Placements& placements) {
  const DeviceMesh& mesh = like.device_mesh();
  const Shape local =
      local_shape(shape, placements, mesh.shape(), mesh.coordinate(name), placements.size());
  return DTensor(make_local(mesh, local, dtype, like.policy(), name), shape, mesh, placements,
                 like.policy());
}

// Placement of a reduction over an axis that is cut.
MeshPlacement partial_of(ops::Reduce op) {
  switch (op) {
    case ops::Reduce::sum:
      return Partial(ReduceOp::sum);
    case ops::Reduce::mean:
      return Partial(ReduceOp::avg);
    case ops::Reduce::max:
      return Partial(ReduceOp::max);
    default:
      return Partial(ReduceOp::min);
  }
}

// Placements from which each rank reduces its own part of the operand.
Placements reducible(ops::Reduce op, const DTensor& x, const std::vector<int>& axes) {
  const auto reduces = [&](const MeshPlacement& placement) {
    return placement.is_shard() &&
           std::find(axes.begin(), axes.end(), placement.axis()) != axes.end();
  };
  std::vector<std::int64_t> shards(x.shape().rank(), 1);
  bool as_it_is = true;
  for (std::size_t dim = 0; dim < x.placements().size(); ++dim) {
    const MeshPlacement& placement = x.placements()[dim];
    if (reduces(placement))
      shards[static_cast<std::size_t>(placement.axis())] *= x.device_mesh().shape()[dim];
    if (placement.is_partial()) as_it_is = as_it_is && placement == partial_of(op);
  }
  for (std::size_t axis = 0; axis < shards.size(); ++axis) {
    const std::int64_t extent = x.shape()[axis], parts = shards[axis];
    if (op == ops::Reduce::mean) as_it_is = as_it_is && extent % parts == 0;
    if (op == ops::Reduce::max || op == ops::Reduce::min)
      as_it_is = as_it_is && (parts - 1) * full_chunk(extent, static_cast<int>(parts)) < extent;
  }
  Placements placements = x.placements();
  if (as_it_is) return placements;
  for (MeshPlacement& placement : placements) {
    if (placement.is_partial() || reduces(placement)) placement = Replicate();
  }
  return placements;
}

Placements after_reduction(ops::Reduce op, const Placements& placements,
                           const std::vector<int>& axes, bool keep_dims) {
  Placements result;
  for (const MeshPlacement& placement : placements) {
    if (!placement.is_shard()) {
      result.push_back(placement);
      continue;
    }
    const int axis = placement.axis();
    const auto before = std::lower_bound(axes.begin(), axes.end(), axis);
    if (before != axes.end() && *before == axis)
      result.push_back(partial_of(op));
    else
      result.emplace_back(Shard(keep_dims ? axis : axis - static_cast<int>(before - axes.begin())));
  }
  return result;
}

}  // namespace

DTensor matmul(const DTensor& a, const DTensor& b) {
  check_meshes("matmul", {a, b});
  if (a.shape().rank() != 2 || b.shape().rank() != 2 || a.shape()[1] != b.shape()[0])
    throw UsageError(fmt::format("matmul: '{}' {} and '{}' {}; {{M, K}} and {{K, N}} are expected",
                                 a.name(), a.shape().str(), b.name(), b.shape().str()));
  if (a.dtype() != b.dtype())
    throw UsageError(fmt::format("matmul: '{}' is {}, '{}' is {}; operands have one dtype",
                                 a.name(), name_of(a.dtype()), b.name(), name_of(b.dtype())));
  const SelectedSharding sharding = select_sharding({a, b}, matmul_strategies(), true);
  const std::vector<DTensor> operands = redistributed("matmul", {a, b}, sharding.in);
  const DTensor out = result_of(a, "matmul", {a.shape()[0], b.shape()[1]},
                                is_float(a.dtype()) ? a.dtype() : DType::i32, sharding.out);
  const Tensor &x = operands[0].to_local(), &y = operands[1].to_local();
  Torch& torch = a.device_mesh().torch();
  if (x.shape()[1] == 0)
    ops::fill(torch, out.to_local(), 0);
  else
    ops::matmul(torch, x, y, out.to_local());
  return out;
}

DTensor elementwise(MathOp op, const std::vector<Operand>& operands) {
  const std::string call(name_of(op));
  std::vector<DTensor> tensors;
  std::vector<Shape> shapes;
  std::vector<ops::Operand> local;
  for (const Operand& operand : operands) {
    if (const auto* number = std::get_if<Number>(&operand)) {
      local.emplace_back(*number);
      continue;
    }
    tensors.push_back(std::get<DTensor>(operand));
    shapes.push_back(tensors.back().shape());
    local.emplace_back(tensors.back().to_local());
  }
  const DType dtype = ops::result_dtype(op, local);
  check_meshes(call, tensors);
  const Shape shape = ops::broadcast_shape(call, shapes);
  const bool scalar_first = std::holds_alternative<Number>(operands.front());
  const SelectedSharding sharding =
      select_sharding(tensors, elementwise_strategies(op, shapes, shape, scalar_first), false);
  tensors = redistributed(call, tensors, sharding.in);
  auto next = tensors.begin();
  for (ops::Operand& operand : local) {
    if (std::holds_alternative<Tensor>(operand)) operand = (next++)->to_local();
  }
  const DTensor& like = tensors.front().shape() == shape ? tensors.front() : tensors.back();
  const DTensor out = result_of(like, call, shape, dtype, sharding.out);
  ops::elementwise(like.device_mesh().torch(), op, local, out.to_local());
  return out;
}

DTensor add(const Operand& a, const Operand& b) { return elementwise(MathOp::add, {a, b}); }
DTensor sub(const Operand& a, const Operand& b) { return elementwise(MathOp::sub, {a, b}); }
DTensor mul(const Operand& a, const Operand& b) { return elementwise(MathOp::mul, {a, b}); }
DTensor div(const Operand& a, const Operand& b) { return elementwise(MathOp::div, {a, b}); }
DTensor maximum(const Operand& a, const Operand& b) { return elementwise(MathOp::maximum, {a, b}); }
DTensor minimum(const Operand& a, const Operand& b) { return elementwise(MathOp::minimum, {a, b}); }
DTensor relu(const DTensor& x) { return elementwise(MathOp::relu, {x}); }
DTensor gelu(const DTensor& x) { return elementwise(MathOp::gelu, {x}); }
DTensor silu(const DTensor& x) { return elementwise(MathOp::silu, {x}); }
DTensor sigmoid(const DTensor& x) { return elementwise(MathOp::sigmoid, {x}); }
DTensor tanh(const DTensor& x) { return elementwise(MathOp::tanh, {x}); }
DTensor exp(const DTensor& x) { return elementwise(MathOp::exp, {x}); }
DTensor log(const DTensor& x) { return elementwise(MathOp::log, {x}); }
DTensor sqrt(const DTensor& x) { return elementwise(MathOp::sqrt, {x}); }
DTensor rsqrt(const DTensor& x) { return elementwise(MathOp::rsqrt, {x}); }
DTensor abs(const DTensor& x) { return elementwise(MathOp::abs, {x}); }

DTensor reduce(ops::Reduce op, const DTensor& x, const std::vector<int>& axes, bool keep_dims) {
  const std::string call = ops::name_of(op);
  const std::vector<int> normal = ops::normal_axes(call, axes, x.shape().rank());
  const DType dtype = ops::reduced_dtype(op, x.dtype());
  const DTensor operand = redistributed(call, {x}, {reducible(op, x, normal)}).front();
  const DTensor out = result_of(x, call, ops::reduced_shape(x.shape(), normal, keep_dims), dtype,
                                after_reduction(op, operand.placements(), normal, keep_dims));
  ops::reduce(x.device_mesh().torch(), op, operand.to_local(), normal, keep_dims, out.to_local());
  return out;
}

DTensor sum(const DTensor& x, const std::vector<int>& axes, bool keep_dims) {
  return reduce(ops::Reduce::sum, x, axes, keep_dims);
}
DTensor mean(const DTensor& x, const std::vector<int>& axes, bool keep_dims) {
  return reduce(ops::Reduce::mean, x, axes, keep_dims);
}
DTensor amax(const DTensor& x, const std::vector<int>& axes, bool keep_dims) {
  return reduce(ops::Reduce::max, x, axes, keep_dims);
}
DTensor amin(const DTensor& x, const std::vector<int>& axes, bool keep_dims) {
  return reduce(ops::Reduce::min, x, axes, keep_dims);
}

}  // namespace kernbench::dtensor
