#include "sw/dtensor/redistribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "models/base/errors.h"
#include "sw/dtensor/mesh_collectives.h"

namespace kernbench::dtensor {
namespace {

// Dimensions before `end` that cut the axis.
std::vector<std::size_t> cuts_before(const Placements& placements, std::size_t end, int axis) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < end; ++dim) {
    if (placements[dim].is_shard(axis)) dims.push_back(dim);
  }
  return dims;
}

bool is_cut(const Placements& placements, const std::vector<int>& mesh_shape) {
  for (std::size_t dim = 0; dim < placements.size(); ++dim) {
    if (placements[dim].is_shard() && mesh_shape[dim] > 1) return true;
  }
  return false;
}

Tensor carry_out(const RedistributeStep& step, const Tensor& local, std::int64_t extent,
                 const MeshCollectives& along) {
  const MeshPlacement &from = step.from, &to = step.to;
  if (from.is_partial() && to.is_replicate()) return along.all_reduce(local, from.reduce_op());
  if (from.is_partial() && to.is_shard())
    return along.reduce_scatter(local, to.axis(), from.reduce_op());
  if (from.is_shard() && to.is_replicate()) return along.all_gather(local, from.axis(), extent);
  if (from.is_shard() && to.is_shard())
    return along.all_to_all(local, from.axis(), extent, to.axis());
  if (from.is_replicate() && to.is_shard()) return along.local_chunk(local, to.axis());
  if (from.is_replicate() && to.is_partial()) return along.partition(local, to.reduce_op());
  throw UsageError(fmt::format("redistribute: tensor '{}' from {} to {}: impossible", local.name(),
                               from.str(), to.str()));
}

double ring_cost(double hops, double devices, double gigabytes) {
  constexpr double base_us = 6.6, hop_us = 0.6, gigabytes_per_s = 87.7;
  return base_us + hops * hop_us + gigabytes * hops / devices / gigabytes_per_s * 1e6;
}

}  // namespace

std::vector<RedistributeStep> redistribute_plan(Placements from, const Placements& to,
                                                const std::vector<int>& mesh_shape) {
  std::vector<RedistributeStep> steps;
  const auto step = [&](std::size_t dim, const MeshPlacement& target) {
    if (from[dim] == target) return;
    steps.push_back({dim, from[dim], target});
    from[dim] = target;
  };
  if (from.size() > 1 && is_cut(from, mesh_shape)) {
    for (std::size_t dim = from.size(); dim-- > 0;) {
      const bool misaligned = to[dim].is_shard() && cuts_before(from, dim, to[dim].axis()) !=
                                                        cuts_before(to, dim, to[dim].axis());
      step(dim, misaligned ? MeshPlacement(Replicate()) : to[dim]);
    }
  }
  for (std::size_t dim = 0; dim < from.size(); ++dim) step(dim, to[dim]);
  return steps;
}

Tensor redistribute_local(const Tensor& local, const Shape& shape, const DeviceMesh& mesh,
                          Placements from, const Placements& to, const DPPolicy& policy) {
  Tensor result = local;
  for (const RedistributeStep& step : redistribute_plan(from, to, mesh.shape())) {
    // Local shape before this dimension cuts it.
    const Shape whole =
        local_shape(shape, from, mesh.shape(), mesh.coordinate("redistribute"), step.dim);
    const std::int64_t extent =
        step.from.is_shard() ? whole[static_cast<std::size_t>(step.from.axis())] : 0;
    if (mesh.shape()[step.dim] > 1)
      result = carry_out(step, result, extent, MeshCollectives(mesh, step.dim, policy));
    from[step.dim] = step.to;
  }
  return result;
}

double redistribute_cost(const Shape& shape, DType dtype, const std::vector<int>& mesh_shape,
                         const Placements& from, const Placements& to) {
  const auto replicates = [](const MeshPlacement& each) { return each.is_replicate(); };
  if (std::all_of(from.begin(), from.end(), replicates)) return 0;
  double gigabytes = static_cast<double>(shape.elements()) * static_cast<double>(size_of(dtype)) /
                     (1024.0 * 1024 * 1024);
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    if (from[dim].is_shard()) gigabytes /= mesh_shape[dim];
  }
  double cost = 0;
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    if (from[dim] == to[dim]) continue;
    if (to[dim].is_partial() && !from[dim].is_replicate())
      return std::numeric_limits<double>::infinity();
    const double devices = mesh_shape[dim], hops = devices - 1;
    if (from[dim].is_shard() && to[dim].is_replicate()) {
      gigabytes *= devices;
      cost += ring_cost(hops, devices, gigabytes);
    } else if (from[dim].is_shard()) {
      cost +=
          ring_cost(hops, devices, gigabytes) + 1;  // 1 us: all_to_all costs more than all_gather
    } else if (from[dim].is_partial() && to[dim].is_replicate()) {
      cost += ring_cost(2 * hops, devices, gigabytes);
    } else if (from[dim].is_partial()) {
      cost += ring_cost(hops, devices, gigabytes);
      gigabytes /= devices;
    } else if (to[dim].is_shard()) {
      gigabytes /= devices;
    }
  }
  return cost;
}

}  // namespace kernbench::dtensor
