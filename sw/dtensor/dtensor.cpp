#include "sw/dtensor/dtensor.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/dtensor/mesh_collectives.h"
#include "sw/dtensor/redistribute.h"

namespace kernbench::dtensor {
namespace {

void check_policy(const std::string& call, const DPPolicy& policy) {
  if (policy.cube.sums() || policy.pe.sums())
    throw UsageError(
        fmt::format("{}: {} has partial sums within a device; copies or parts are expected", call,
                    policy.str()));
}

void check_partials(const DeviceMesh& mesh, const Placements& placements, DType dtype) {
  std::optional<MeshPlacement> first;
  for (const MeshPlacement& placement : placements) {
    if (!placement.is_partial()) continue;
    const ReduceOp op = placement.reduce_op();
    if (op == ReduceOp::avg && !is_float(dtype))
      throw UsageError(fmt::format("from_local: {} of {}: a float dtype is expected",
                                   placement.str(), name_of(dtype)));
    if (first && *first != placement)
      throw UsageError(fmt::format(
          "from_local: {} on {}: the order of {} and {} matters; one operation is expected",
          text_of(placements), mesh.str(), first->str(), placement.str()));
    if (!first) first = placement;
  }
}

Shape even_shape(const Shape& local, const DeviceMesh& mesh, const Placements& placements) {
  std::vector<std::int64_t> extents = local.extents();
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (placements[dim].is_shard())
      extents[static_cast<std::size_t>(placements[dim].axis())] *= mesh.shape()[dim];
  }
  return Shape(extents);
}

void check_local(const Tensor& local, const DeviceMesh& mesh, const Placements& placements,
                 const Shape& shape) {
  const Shape expected = local_shape(shape, placements, mesh.shape(), mesh.coordinate("from_local"),
                                     placements.size());
  if (local.shape() == expected) return;
  throw UsageError(
      fmt::format("from_local: tensor '{}' {} on rank {}, whose part of {} by {} on {} is {}",
                  local.name(), local.shape().str(), mesh.torch().distributed.get_rank(),
                  shape.str(), text_of(placements), mesh.str(), expected.str()));
}

// Copies the tensor of rank 0 of each row of replicas to the others.
Tensor broadcast_replicas(Tensor local, const DeviceMesh& mesh, const Placements& placements) {
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (placements[dim].is_replicate() && mesh.shape()[dim] > 1)
      local = MeshCollectives(mesh, dim, local.policy()).broadcast(local, 0);
  }
  return local;
}

// How distribute_tensor obtains the calling rank's own tensor, if it needs it.
using OwnTensor = std::function<Tensor()>;

Tensor distributed_local(const OwnTensor& own, const Shape& shape, DType dtype,
                         const DeviceMesh& mesh, const Placements& placements,
                         const DistributeOptions& options) {
  const std::vector<int>& mine = mesh.coordinate("distribute_tensor");
  std::optional<Tensor> local;
  const auto held = [&]() -> const Tensor& { return local ? *local : local.emplace(own()); };
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    const int size = mesh.shape()[dim];
    if (size == 1) continue;
    const MeshCollectives along(mesh, dim, options.policy);
    const MeshPlacement& placement = placements[dim];
    if (!options.src_data_rank) {
      if (placement.is_shard()) local = along.local_chunk(held(), placement.axis());
      continue;
    }
    const int source = *options.src_data_rank;
    if (source < 0 || source >= size)
      throw UsageError(fmt::format(
          "distribute_tensor: src_data_rank {}, but dimension {} of {} has ranks 0 to {}", source,
          dim, mesh.str(), size - 1));
    const bool is_source = mine[dim] == source;
    const Shape whole = local_shape(shape, placements, mesh.shape(), mine, dim);
    const Tensor tensor =
        is_source ? held() : make_local(mesh, whole, dtype, options.policy, options.name);
    local = placement.is_shard() ? along.scatter(tensor, placement.axis(), source)
                                 : along.broadcast(tensor, source);
  }
  return held();
}

DTensor distribute(const OwnTensor& own, const Shape& shape, DType dtype, const DeviceMesh& mesh,
                   const Placements& given, const DistributeOptions& options) {
  const std::string call = "distribute_tensor";
  check_policy(call, options.policy);
  const Placements placements = normal_placements(call, mesh, given, shape);
  for (const MeshPlacement& placement : placements) {
    if (placement.is_partial())
      throw UsageError(
          fmt::format("{}: {}: Shard or Replicate is expected; from_local makes a "
                      "tensor with {}",
                      call, text_of(placements), placement.str()));
  }
  Tensor local = distributed_local(own, shape, dtype, mesh, placements, options);
  return DTensor(std::move(local), shape, mesh, placements, options.policy);
}

}  // namespace

Placements normal_placements(const std::string& call, const DeviceMesh& mesh,
                             const Placements& placements, const Shape& shape) {
  if (placements.empty()) return Placements(static_cast<std::size_t>(mesh.ndim()), Replicate());
  if (placements.size() != static_cast<std::size_t>(mesh.ndim()))
    throw UsageError(
        fmt::format("{}: {} placements {} on {}; one for each of {} dimensions is "
                    "expected",
                    call, placements.size(), text_of(placements), mesh.str(), mesh.ndim()));
  const int rank = static_cast<int>(shape.rank());
  Placements normal;
  for (const MeshPlacement& placement : placements) {
    if (!placement.is_shard()) {
      normal.push_back(placement);
      continue;
    }
    const int axis = placement.axis() < 0 ? placement.axis() + rank : placement.axis();
    if (rank == 0)
      throw UsageError(fmt::format("{}: {} of a tensor without axes", call, placement.str()));
    if (axis < 0 || axis >= rank)
      throw UsageError(fmt::format("{}: {} of a tensor {}; allowed: {} to {}", call,
                                   placement.str(), shape.str(), -rank, rank - 1));
    normal.emplace_back(Shard(axis));
  }
  return normal;
}

DPPolicy local_policy(const DeviceMesh& mesh, const Shape& shape, DType dtype,
                      const DPPolicy& policy) {
  if (!policy.cube.cuts() && !policy.pe.cuts()) return policy;
  const MachineDescription& machine = mesh.torch().spec();
  try {
    place("", shape, dtype, policy, 0, machine.cubes(), machine.pes);
    return policy;
  } catch (const UsageError&) {
    return {Placement::replicate, Placement::replicate, policy.num_cubes, policy.num_pes};
  }
}

Tensor make_local(const DeviceMesh& mesh, const Shape& shape, DType dtype, const DPPolicy& policy,
                  const std::string& name) {
  return mesh.torch().empty(shape, dtype, local_policy(mesh, shape, dtype, policy), name);
}

std::string DTensor::str() const {
  return fmt::format("{} {}{} {} on {}", name(), name_of(dtype()), shape_.str(),
                     text_of(placements_), mesh_.str());
}

DTensor DTensor::redistribute(const DeviceMesh& mesh, const Placements& placements) const {
  if (mesh != mesh_)
    throw UsageError(
        fmt::format("redistribute: tensor '{}' is on {}, not on {}; the same mesh is "
                    "expected",
                    name(), mesh_.str(), mesh.str()));
  return redistribute(placements);
}

DTensor DTensor::redistribute(const Placements& placements) const {
  if (placements.empty())
    throw UsageError(fmt::format("redistribute: tensor '{}' without placements", name()));
  const Placements to = normal_placements("redistribute", mesh_, placements, shape_);
  for (std::size_t dim = 0; dim < to.size(); ++dim) {
    if (to[dim].is_partial() && to[dim] != placements_[dim])
      throw UsageError(
          fmt::format("redistribute: tensor '{}' from {} to {}: only operators make "
                      "a Partial; Shard or Replicate is expected",
                      name(), placements_[dim].str(), to[dim].str()));
  }
  return redistributed("redistribute", to);
}

DTensor DTensor::redistributed(const std::string& why, const Placements& placements) const {
  if (placements == placements_) return *this;
  mesh_.observers()->redistributed(fmt::format("{}: '{}' {} {} -> {}", why, name(), shape_.str(),
                                               text_of(placements_), text_of(placements)));
  return DTensor(redistribute_local(local_, shape_, mesh_, placements_, placements, policy_),
                 shape_, mesh_, placements, policy_);
}

Tensor DTensor::full_tensor() const {
  return redistribute(Placements(placements_.size(), Replicate())).to_local();
}

DTensor distribute_tensor(const HostArray& array, const DeviceMesh& mesh,
                          const Placements& placements, const DistributeOptions& options) {
  const auto own = [&] {
    Tensor tensor = make_local(mesh, array.shape(), array.dtype(), options.policy, options.name);
    return tensor.copy_(array);
  };
  return distribute(own, array.shape(), array.dtype(), mesh, placements, options);
}

DTensor distribute_tensor(const Tensor& tensor, const DeviceMesh& mesh,
                          const Placements& placements, const std::optional<int>& src_data_rank) {
  const DistributeOptions options{tensor.policy(), tensor.name(), src_data_rank};
  return distribute([&] { return tensor; }, tensor.shape(), tensor.dtype(), mesh, placements,
                    options);
}

DTensor from_local(const Tensor& local, const DeviceMesh& mesh, const Placements& given,
                   const FromLocalOptions& options) {
  check_policy("from_local", local.policy());
  const Shape& known = options.shape ? *options.shape : local.shape();
  const Placements placements = normal_placements("from_local", mesh, given, known);
  check_partials(mesh, placements, local.dtype());
  if (known.rank() != local.shape().rank())
    throw UsageError(
        fmt::format("from_local: tensor '{}' {}, but the whole tensor is {}; both "
                    "have the same axes",
                    local.name(), local.shape().str(), known.str()));
  if (options.run_check) compare_local_tensors(local, mesh, !options.shape);
  const Shape shape = options.shape ? known : even_shape(local.shape(), mesh, placements);
  check_local(local, mesh, placements, shape);
  Tensor own = options.run_check ? broadcast_replicas(local, mesh, placements) : local;
  return DTensor(std::move(own), shape, mesh, placements, local.policy());
}

}  // namespace kernbench::dtensor
