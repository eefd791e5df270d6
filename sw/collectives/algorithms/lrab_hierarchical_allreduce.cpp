// lrab_hierarchical_allreduce (spec 8.2, ADR-0032): reduces along rows and columns of the cubes to
// a root cube, exchanges between the root cubes of the SIPs, and broadcasts back. Levels within a
// SIP serve holders of the same part; if each holder has its own part, or ranks are PEs, only the
// exchange between the ranks remains.
#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/mesh_schedules.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

std::optional<int> given_root(const CollectiveCall& call) {
  if (!call.settings.own.has("root_cube")) return std::nullopt;
  return static_cast<int>(call.settings.own.integer("root_cube"));
}

HolderTree holders(const CollectiveCall& call) {
  return {call, HolderTree::Form::mesh, given_root(call)};
}

std::string refuses(const CollectiveCall& call) {
  const std::optional<int> root = given_root(call);
  const std::vector<int> cubes = call.layout.cubes();
  if (!root || std::binary_search(cubes.begin(), cubes.end(), *root)) return "";
  return fmt::format("root_cube {} is none of them", *root);
}

NeighbourGraph graph(const CollectiveCall& call) {
  const HolderTree tree = holders(call);
  std::vector<graphs::CubePe> roots;
  for (const ShardLayout::Member& root : tree.between_roots(call).layout.members)
    roots.push_back({root.cube, root.pe});
  return tree.graph().add(between_ranks(graphs::sip(call.group.grid, roots), call.group));
}

tl::KernelCall kernel(const CollectiveCall& call) {
  ScheduleOptions options = call.options(call.group.size);
  options.pipelined = false;  // sequential, as the source's kernel
  const auto body = [options, tree = holders(call), grid = call.group.grid](
                        tl::Program& tl, tl::Tensor data, int rank) {
    if (!data.has_local()) return;
    Schedule exchange = schedules::sip_exchange(grid, rank);
    exchange.push_back({schedules::finish()});
    run_schedule(tl, tree.around(tl.pe_id(), exchange), blocks_in_place(data, 1), options);
  };
  return with_own_scratch(tl::bind_kernel(body, call.inputs.front(), call.rank), call);
}

}  // namespace

void register_lrab_hierarchical_allreduce(AlgorithmRegistry& registry) {
  CollectiveAlgorithm algorithm =
      all_reduce_for_holders("lrab_hierarchical_allreduce",
                             "reduce along rows and columns of cubes to a root cube, all-reduce "
                             "between the root cubes of the SIPs, then broadcast back",
                             graph, kernel);
  algorithm.parameters = {
      Parameter::integer("root_cube",
                         "cube that the others send to; default: the middle of the rectangle", "",
                         "ADR-0032")
          .range("0", "255")};
  algorithm.refuses = refuses;
  algorithm.levels_within_ranks = true;
  algorithm.deep_rings = false;
  registry.add(std::move(algorithm));
}

}  // namespace kernbench::algorithms
