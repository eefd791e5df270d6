// Collectives of local tensors along one dimension of a mesh, as distributed tensors need them:
// parts of any axis, which are padded to one size where they differ.
#pragma once

#include <cstdint>

#include "sw/dtensor/dtensor.h"

namespace kernbench::dtensor {

class MeshCollectives {
 public:
  // Tensors that it makes have `policy`.
  MeshCollectives(const DeviceMesh& mesh, std::size_t dim, const DPPolicy& policy);

  // Shard(axis) -> Replicate of a tensor whose extent on that axis is `extent`, over these ranks.
  Tensor all_gather(const Tensor& local, int axis, std::int64_t extent) const;
  // Partial -> Replicate
  Tensor all_reduce(const Tensor& local, ReduceOp op) const;
  // Partial -> Shard(axis)
  Tensor reduce_scatter(const Tensor& local, int axis, ReduceOp op) const;
  // Shard(from) -> Shard(to); `extent` as above, of axis `from`.
  Tensor all_to_all(const Tensor& local, int from, std::int64_t extent, int to) const;
  // Replicate -> Shard(axis): no communication
  Tensor local_chunk(const Tensor& local, int axis) const;
  // Replicate -> Partial: the first rank keeps the value and the others have zeros (PyTorch divides
  // by the number of ranks, which is not exact); with avg, max and min all keep it. No
  // communication.
  Tensor partition(const Tensor& local, ReduceOp op) const;

  // The rank at `source` sends each rank its part along `axis`, or all ranks its tensor. The other
  // ranks pass a tensor of the same shape, which is not read.
  Tensor scatter(const Tensor& tensor, int axis, int source) const;
  Tensor broadcast(const Tensor& tensor, int source) const;

 private:
  Tensor make(const Shape& shape, const Tensor& like) const;
  Tensor make_parts(const Tensor& part) const;
  Tensor padded(const Tensor& local, int axis, std::int64_t extent) const;
  Tensor narrowed(const Tensor& tensor, int axis, const Chunk& chunk) const;
  void called(const char* collective) const { mesh_.observers()->called(collective); }

  const DeviceMesh& mesh_;
  DPPolicy policy_;
  Group group_;
  int size_, mine_;
};

// Gathers dtype, and with `shapes` the extents, of the ranks' local tensors, and compares them if
// there are data. UsageError: they differ.
void compare_local_tensors(const Tensor& local, const DeviceMesh& mesh, bool shapes);

}  // namespace kernbench::dtensor
