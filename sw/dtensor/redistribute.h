// Redistribution: the steps from placements to others, and their execution.
#pragma once

#include <vector>

#include "sw/dtensor/dtensor.h"

namespace kernbench::dtensor {

// Along dimension `dim` of the mesh.
struct RedistributeStep {
  std::size_t dim;
  MeshPlacement from, to;
};

// PyTorch's greedy plan. From the last dimension to the first: one that is to become
// Shard(axis), where the dimensions before it do not yet cut that axis as they will, becomes
// Replicate. Then from the first to the last, what remains.
std::vector<RedistributeStep> redistribute_plan(Placements from, const Placements& to,
                                                const std::vector<int>& mesh_shape);

// Local tensor of the calling rank of a tensor of this shape, after the redistribution.
Tensor redistribute_local(const Tensor& local, const Shape& shape, const DeviceMesh& mesh,
                          Placements from, const Placements& to, const DPPolicy& policy);

// Estimated time in us, by PyTorch's model: rings of 87.7 GB/s per link (as of NVLink), 6.6 us per
// collective and 0.6 us per hop. Infinite for what cannot be done: Shard or another Partial to
// Partial. It selects between placements and is no figure of the machine.
double redistribute_cost(const Shape& shape, DType dtype, const std::vector<int>& mesh_shape,
                         const Placements& from, const Placements& to);

}  // namespace kernbench::dtensor
