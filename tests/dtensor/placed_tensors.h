// Distributed tensors with given values and placements, and checks of the results of operators.
#pragma once

#include <string>

#include "tests/dtensor/mesh_ranks.h"

namespace kernbench::dtensor {

using namespace kernbench::test;

inline constexpr const char *gather = "all_gather_into_tensor 1; ", *reduce_all = "all_reduce 1; ",
                            *scatter_sum = "reduce_scatter_tensor 1; ";

// Small integers, exact in every dtype.
inline Values small_values(const Shape& shape, int seed = 0) {
  Values values(size_in(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed) * 3) % 9) - 4;
  return values;
}

// The whole tensor has the values. Partial(sum) over n ranks: the last one has 2 - n times the
// values, each other one the values. Partial of avg, max and min: all ranks have the values.
inline DTensor placed(Torch& torch, const DeviceMesh& mesh, const Shape& shape,
                      const Values& values, const Placements& placements, DType dtype = f32,
                      const DPPolicy& policy = one_pe) {
  bool partial = false;
  double factor = 1;
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (!placements[dim].is_partial()) continue;
    partial = true;
    const int size = mesh.shape()[dim];
    if (placements[dim].reduce_op() == ReduceOp::sum)
      factor *= mesh.get_local_rank(static_cast<int>(dim)) == size - 1 ? 2 - size : 1;
  }
  if (!partial)
    return distribute_tensor(HostArray(shape, dtype, values), mesh, placements, {policy, "x", 0});
  auto [part, local] =
      part_of_rank(shape, values, placements, mesh.shape(), *mesh.get_coordinate());
  for (double& value : local) value *= factor;
  const Tensor tensor = torch.from_host(HostArray(part, dtype, local), policy, "x");
  return from_local(tensor, mesh, placements, {false, shape});
}

inline void check_result(Torch& torch, const DTensor& result, const Placements& placements,
                         const Values& values, const CommDebugMode& comm,
                         const std::string& collectives, const std::string& what) {
  BOOST_TEST((result.placements() == placements), what << " gives " << result.str());
  BOOST_TEST(text_of_counts(comm.get_comm_counts()) == collectives, what);
  expect(torch, result.full_tensor(), values);
}

inline const MeshPlacement rows = Shard(0), columns = Shard(1), copies = Replicate(),
                           partial = Partial();

}  // namespace kernbench::dtensor
