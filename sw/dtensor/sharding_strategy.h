// Sharding strategies of operators, as PyTorch's: the placements of operands for which each rank
// computes its part of the result from its own parts, and the selection of the cheapest.
#pragma once

#include <vector>

#include "models/base/math_op.h"
#include "sw/dtensor/dtensor.h"

namespace kernbench::dtensor {

// Along one dimension of a mesh.
struct ShardingStrategy {
  MeshPlacement out;
  Placements in;  // one per operand
};
using ShardingStrategies = std::vector<ShardingStrategy>;

// Placements over all dimensions.
struct SelectedSharding {
  Placements out;
  std::vector<Placements> in;  // per operand
};

// {M, K} x {K, N}: rows of a, columns of b, both along K with a partial sum, or copies.
ShardingStrategies matmul_strategies();
// Element-wise, of one or two tensors: any axis of the result that each operand has or repeats;
// partial values where the operation allows. `scalar_first`: the first operand is a number, so that
// the tensor is, for example, a divisor.
ShardingStrategies elementwise_strategies(MathOp op, const std::vector<Shape>& shapes,
                                          const Shape& result, bool scalar_first);

// The cheapest combination of strategies over the dimensions of the mesh by redistribute_cost();
// among equals one without redistribution, then the first. None cuts an operand into more parts
// than it has elements on an axis, except, unless `whole_parts`, as an operand is cut already.
SelectedSharding select_sharding(const std::vector<DTensor>& operands,
                                 const ShardingStrategies& strategies, bool whole_parts);

}  // namespace kernbench::dtensor
