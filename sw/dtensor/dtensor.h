// DTensor: a tensor distributed over the ranks of a device mesh, as torch.distributed.tensor's.
//
//   const DeviceMesh mesh = init_device_mesh(torch, {4});
//   const DTensor x = distribute_tensor(array, mesh, {Shard(0)});
//   const DTensor total = sum(x, {0});                     // Partial(sum): no communication
//   const DTensor y = total.redistribute({Replicate()});   // all_reduce
//   y.to_local();                                          // Tensor of this rank
//
// Every rank of the mesh makes the same calls, in the same order. The shape is that of the whole
// tensor; each rank has a local tensor on its device, cut as torch.chunk cuts it, so that the last
// ranks may have fewer elements or none. Within the device a local tensor is placed by a DPPolicy;
// one that the policy cannot cut has copies instead.
#pragma once

#include <optional>
#include <string>

#include "sw/dtensor/device_mesh.h"
#include "sw/dtensor/placement.h"

namespace kernbench::dtensor {

class DTensor {
 public:
  const Shape& shape() const { return shape_; }
  DType dtype() const { return local_.dtype(); }
  const std::string& name() const { return local_.name(); }
  const DeviceMesh& device_mesh() const { return mesh_; }
  const Placements& placements() const { return placements_; }
  const DPPolicy& policy() const { return policy_; }
  std::string str() const;  // "x f16{8, 6} [Shard(0)] on DeviceMesh(2; ranks 0, 1)"

  // Local tensor of the calling rank; it shares the memory of this tensor.
  const Tensor& to_local() const { return local_; }
  // The same tensor with other placements: all_gather_into_tensor from Shard to Replicate,
  // all_reduce from Partial to Replicate, reduce_scatter_tensor from Partial to Shard,
  // all_to_all_single from Shard to Shard of another axis, no communication from Replicate to
  // Shard. Dimensions of the mesh are processed as in PyTorch: from the last to the first, then
  // what has been replicated for that. UsageError: another mesh, wrong placements, or a Partial
  // that this tensor does not have.
  DTensor redistribute(const Placements& placements) const;
  DTensor redistribute(const DeviceMesh& mesh, const Placements& placements) const;
  // The whole tensor on every rank.
  Tensor full_tensor() const;

  // Used by the other files of this folder: no checks.
  DTensor(Tensor local, Shape shape, DeviceMesh mesh, Placements placements, DPPolicy policy)
      : local_(std::move(local)), shape_(std::move(shape)), mesh_(std::move(mesh)),
        placements_(std::move(placements)), policy_(policy) {}
  // redistribute() that also makes a Partial of a Replicate; CommDebugMode lists `why`.
  DTensor redistributed(const std::string& why, const Placements& placements) const;

 private:
  Tensor local_;
  Shape shape_;
  DeviceMesh mesh_;
  Placements placements_;
  DPPolicy policy_;
};

struct DistributeOptions {
  DPPolicy policy = {};
  std::string name = "";
  // Position of the source along each dimension of the mesh; none: every rank takes its part of its
  // own array, without communication.
  std::optional<int> src_data_rank = 0;
};

// Distributes an array of every rank: rank 0 of each row of the mesh's first dimension writes it to
// its device and scatters (Shard) or broadcasts (Replicate) it, then each of them along the next
// dimension. Without placements: Replicate. UsageError: wrong placements, or Partial.
DTensor distribute_tensor(const HostArray& array, const DeviceMesh& mesh,
                          const Placements& placements = {}, const DistributeOptions& options = {});
// The same of tensors that are on the devices already; their policy and name.
DTensor distribute_tensor(const Tensor& tensor, const DeviceMesh& mesh,
                          const Placements& placements = {},
                          const std::optional<int>& src_data_rank = 0);

struct FromLocalOptions {
  // Compares dtype and shape of the local tensors (with data), and broadcasts the local tensor of
  // the first rank along Replicate dimensions.
  bool run_check = false;
  // Shape of the whole tensor; none: every rank has a part of the same size.
  std::optional<Shape> shape = {};
};

// A DTensor of the local tensors of the ranks, which it shares. Without placements: Replicate.
// UsageError: wrong placements, a local shape that is not this rank's part of the shape, a policy
// with partial sums, Partials of several operations, the average of integers.
DTensor from_local(const Tensor& local, const DeviceMesh& mesh, const Placements& placements = {},
                   const FromLocalOptions& options = {});

// Placements with axes from 0. UsageError that names `call`: not one per dimension, no such axis.
Placements normal_placements(const std::string& call, const DeviceMesh& mesh,
                             const Placements& placements, const Shape& shape);

// The policy of a local tensor of this shape: the given one, or copies on the same PEs if that
// cannot cut it.
DPPolicy local_policy(const DeviceMesh& mesh, const Shape& shape, DType dtype,
                      const DPPolicy& policy);
// A new local tensor with that policy.
Tensor make_local(const DeviceMesh& mesh, const Shape& shape, DType dtype, const DPPolicy& policy,
                  const std::string& name);

}  // namespace kernbench::dtensor
