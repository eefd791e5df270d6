#include "sw/dtensor/sharding_strategy.h"

#include <algorithm>
#include <limits>

#include "sw/dtensor/redistribute.h"

namespace kernbench::dtensor {
namespace {

// f(max(a, b)) = max(f(a), f(b)) for all values.
bool never_decreases(MathOp op) {
  switch (op) {
    case MathOp::exp:
    case MathOp::exp2:
    case MathOp::expm1:
    case MathOp::sigmoid:
    case MathOp::tanh:
    case MathOp::relu:
    case MathOp::erf:
    case MathOp::atan:
    case MathOp::floor:
    case MathOp::ceil:
    case MathOp::rint:
    case MathOp::trunc:
      return true;
    default:
      return false;
  }
}

void add_unary_partials(ShardingStrategies& strategies, MathOp op, bool scalar_first) {
  const auto kept = [&](ReduceOp each) { strategies.push_back({Partial(each), {Partial(each)}}); };
  const bool scales = op == MathOp::mul || (op == MathOp::div && !scalar_first);
  if (scales) {
    kept(ReduceOp::sum);
    kept(ReduceOp::avg);
  }
  if (never_decreases(op)) {
    kept(ReduceOp::max);
    kept(ReduceOp::min);
  }
}

void add_binary_partials(ShardingStrategies& strategies, MathOp op) {
  const auto of_first = [&](ReduceOp each) {
    strategies.push_back({Partial(each), {Partial(each), Replicate()}});
  };
  const auto of_second = [&](ReduceOp each) {
    strategies.push_back({Partial(each), {Replicate(), Partial(each)}});
  };
  const auto of_both = [&](ReduceOp each) {
    strategies.push_back({Partial(each), {Partial(each), Partial(each)}});
  };
  switch (op) {
    case MathOp::add:
    case MathOp::sub:
      for (const ReduceOp each : {ReduceOp::sum, ReduceOp::avg}) of_both(each);
      for (const ReduceOp each : {ReduceOp::avg, ReduceOp::max, ReduceOp::min}) of_first(each);
      of_second(ReduceOp::avg);
      break;
    case MathOp::mul:
      for (const ReduceOp each : {ReduceOp::sum, ReduceOp::avg}) of_first(each);
      for (const ReduceOp each : {ReduceOp::sum, ReduceOp::avg}) of_second(each);
      break;
    case MathOp::div:
      for (const ReduceOp each : {ReduceOp::sum, ReduceOp::avg}) of_first(each);
      break;
    case MathOp::maximum:
    case MathOp::minimum:
      for (const ReduceOp each : {ReduceOp::max, ReduceOp::min}) {
        of_first(each);
        of_second(each);
      }
      of_both(op == MathOp::maximum ? ReduceOp::max : ReduceOp::min);
      break;
    default:
      break;
  }
}

// Partials of several operations depend on the order of their reductions.
bool mixes_partials(const Placements& placements) {
  const MeshPlacement* first = nullptr;
  for (const MeshPlacement& placement : placements) {
    if (!placement.is_partial()) continue;
    if (first != nullptr && *first != placement) return true;
    first = &placement;
  }
  return false;
}

bool leaves_none_empty(const Shape& shape, const Placements& placements,
                       const std::vector<int>& mesh_shape) {
  std::vector<std::int64_t> shards(shape.rank(), 1);
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (placements[dim].is_shard())
      shards[static_cast<std::size_t>(placements[dim].axis())] *= mesh_shape[dim];
  }
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shards[axis] > 1 && shape[axis] < shards[axis]) return false;
  }
  return true;
}

// Combination `index` of a strategy for each dimension, the last dimension fastest.
SelectedSharding combination(const ShardingStrategies& strategies, std::size_t index,
                             std::size_t dims, std::size_t operands) {
  SelectedSharding selected;
  selected.out.assign(dims, Replicate());
  selected.in.assign(operands, Placements(dims, Replicate()));
  for (std::size_t dim = dims; dim-- > 0; index /= strategies.size()) {
    const ShardingStrategy& strategy = strategies[index % strategies.size()];
    selected.out[dim] = strategy.out;
    for (std::size_t i = 0; i < operands; ++i) selected.in[i][dim] = strategy.in[i];
  }
  return selected;
}

}  // namespace

ShardingStrategies matmul_strategies() {
  return {{Replicate(), {Replicate(), Replicate()}},
          {Partial(), {Shard(1), Shard(0)}},
          {Shard(0), {Shard(0), Replicate()}},
          {Shard(1), {Replicate(), Shard(1)}}};
}

ShardingStrategies elementwise_strategies(MathOp op, const std::vector<Shape>& shapes,
                                          const Shape& result, bool scalar_first) {
  ShardingStrategies strategies{{Replicate(), Placements(shapes.size(), Replicate())}};
  for (std::size_t axis = 0; axis < result.rank(); ++axis) {
    ShardingStrategy strategy{Shard(static_cast<int>(axis)), {}};
    for (const Shape& shape : shapes) {
      const std::size_t missing = result.rank() - shape.rank();
      const bool repeats = axis < missing || (shape[axis - missing] == 1 && result[axis] != 1);
      strategy.in.push_back(repeats ? MeshPlacement(Replicate())
                                    : Shard(static_cast<int>(axis - missing)));
    }
    strategies.push_back(std::move(strategy));
  }
  if (shapes.size() == 1)
    add_unary_partials(strategies, op, scalar_first);
  else
    add_binary_partials(strategies, op);
  return strategies;
}

SelectedSharding select_sharding(const std::vector<DTensor>& operands,
                                 const ShardingStrategies& strategies, bool whole_parts) {
  const std::vector<int>& mesh_shape = operands.front().device_mesh().shape();
  std::size_t combinations = 1;
  for (std::size_t dim = 0; dim < mesh_shape.size(); ++dim) combinations *= strategies.size();
  SelectedSharding best = combination(strategies, 0, mesh_shape.size(), operands.size());
  double least = std::numeric_limits<double>::infinity();
  bool best_moves = true;
  for (std::size_t index = 0; index < combinations; ++index) {
    SelectedSharding each = combination(strategies, index, mesh_shape.size(), operands.size());
    double cost = 0;
    bool moves = false, possible = !mixes_partials(each.out), cuts_too_often = false,
         is_cut_so = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const DTensor& operand = operands[i];
      const bool stays = operand.placements() == each.in[i];
      const bool fits = leaves_none_empty(operand.shape(), each.in[i], mesh_shape);
      possible = possible && !mixes_partials(each.in[i]);
      cuts_too_often = cuts_too_often || !fits;
      is_cut_so = is_cut_so || (stays && !fits);
      moves = moves || !stays;
      cost += redistribute_cost(operand.shape(), operand.dtype(), mesh_shape, operand.placements(),
                                each.in[i]);
    }
    possible = possible && (!cuts_too_often || (is_cut_so && !whole_parts));
    if (!possible || cost > least || (cost == least && (moves || !best_moves))) continue;
    best = std::move(each);
    least = cost;
    best_moves = moves;
  }
  return best;
}

}  // namespace kernbench::dtensor
