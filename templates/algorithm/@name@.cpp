// The algorithm @name@ of all_reduce: every rank sends to one rank, the centre, which combines and
// sends back; for every PE that holds a shard.
#include <string>

#include "models/base/plugin.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/schedule_kernels.h"

namespace {

namespace schedules = kernbench::schedules;
namespace tl = kernbench::tl;
using kernbench::CollectiveCall;

int centre_of(const CollectiveCall& call) {
  return static_cast<int>(call.settings.own.integer("centre"));
}
std::string to_leaf(int rank) { return "leaf" + std::to_string(rank); }

// Edges between PEs, by name of their direction.
kernbench::NeighbourGraph graph(const CollectiveCall& call) {
  kernbench::NeighbourGraph graph;
  for (const kernbench::ShardLayout::Member& shard : call.layout.members) {
    const kernbench::PeId centre = call.group.place(centre_of(call), shard.cube, shard.pe);
    for (int rank = 0; rank < call.group.size; ++rank) {
      if (rank == centre_of(call)) continue;
      const kernbench::PeId leaf = call.group.place(rank, shard.cube, shard.pe);
      graph.connect(leaf, "centre", centre).connect(centre, to_leaf(rank), leaf);
    }
  }
  return graph;
}

// Phases of each rank; one block.
kernbench::Schedule schedule(int rank, int ranks, int centre) {
  if (rank != centre) return {{schedules::send("centre")}, {schedules::receive("centre")}};
  kernbench::Phase in, out;
  for (int leaf = 0; leaf < ranks; ++leaf) {
    if (leaf == centre) continue;
    in.push_back(schedules::reduce(to_leaf(leaf)));
    out.push_back(schedules::send(to_leaf(leaf)));
  }
  in.push_back(schedules::finish());  // an average is divided here
  return {in, out};
}

// Starts on every PE that holds a shard.
tl::KernelCall kernel(const CollectiveCall& call) {
  const kernbench::ScheduleOptions options =
      call.options(call.group.size);  // values per result
  const auto body = [options](tl::Program& tl, tl::Tensor data, int rank, int ranks, int centre) {
    if (data.has_local())
      kernbench::run_schedule(tl, schedule(rank, ranks, centre),
                              kernbench::blocks_in_place(data, 1), options);
  };
  return tl::bind_kernel(body, call.inputs.front(), call.rank, call.group.size, centre_of(call));
}

std::string refuses(const CollectiveCall& call) {
  if (centre_of(call) < call.group.size) return "";
  return "centre " + std::to_string(centre_of(call)) + " is none of the " +
         std::to_string(call.group.size) + " ranks";
}

}  // namespace

kernbench::CollectiveAlgorithm @name@_algorithm() {
  using kernbench::Parameter;
  return {"@name@",
          "every rank sends to one, which combines and sends back",
          kernbench::CollectiveOp::all_reduce,
          kernbench::all_sip_topologies(),
          "any shards, the same on every rank",
          {Parameter::integer("centre", "rank that combines", "", "assumption")
               .default_val(0)
               .range(0, 16383)},
          refuses,
          graph,
          kernel};
}

namespace {

void add_all(kernbench::PluginRegistries& to) { to.algorithms.add(@name@_algorithm()); }

}  // namespace

KERNBENCH_PLUGIN("@name@", add_all);
