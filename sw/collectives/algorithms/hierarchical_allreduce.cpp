// hierarchical_allreduce (spec 8.2, ADR-0029): all PEs of each cube to its PE 0, all cubes of each
// SIP to cube 0, all SIPs to the first, each level a ring folded at its root; and back. Every shard
// becomes the combination of all shards of all ranks. Ranks that are PEs have the last level only.
#include <fmt/format.h>

#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench::algorithms {
namespace {

// Of the levels below the SIPs; E and W join the PEs of a cube, N and S the cubes of a SIP.
void ring(NeighbourGraph& graph, const std::vector<PeId>& members, const char* next,
          const char* previous) {
  const std::size_t count = members.size();
  for (std::size_t i = 0; count > 1 && i < count; ++i) {
    graph.connect(members[i], next, members[(i + 1) % count])
        .connect(members[i], previous, members[(i + count - 1) % count]);
  }
}

// Of a rank.
struct Extents {
  int cubes = 1;
  int pes = 1;  // of each cube
};

Extents extents_of(const RankGroup& group) {
  return group.unit == RankUnit::pe ? Extents{} : Extents{group.cubes(), group.pes};
}

std::string refuses(const CollectiveCall& call) {
  const Extents rank = extents_of(call.group);
  if (call.layout.members.size() != static_cast<std::size_t>(rank.cubes * rank.pes))
    return fmt::format("the SIP has {} cubes of {} PEs", call.group.cubes(), call.group.pes);
  return call.layout.equal_shards() ? "" : "their sizes differ";
}

NeighbourGraph graph(const CollectiveCall& call) {
  const Extents extents = extents_of(call.group);
  NeighbourGraph graph;
  for (int rank = 0; rank < call.group.size; ++rank) {
    std::vector<PeId> leaders;
    for (int cube = 0; cube < extents.cubes; ++cube) {
      std::vector<PeId> pes;
      for (int pe = 0; pe < extents.pes; ++pe) pes.push_back(call.group.place(rank, cube, pe));
      ring(graph, pes, "E", "W");
      leaders.push_back(pes.front());
    }
    ring(graph, leaders, "S", "N");
  }
  std::vector<PeId> leaders;
  for (const int rank : call.group.ring()) leaders.push_back(call.group.place(rank, 0, 0));
  ring(graph, leaders, schedules::ring_next, schedules::ring_previous);
  return graph;
}

Schedule schedule(int pe, int pes, int cube, int cubes, int position, int ranks) {
  std::vector<schedules::TreePosition> places{schedules::folded_ring(pe, pes, "E", "W")};
  if (pe == 0) places.push_back(schedules::folded_ring(cube, cubes, "S", "N"));
  if (pe == 0 && cube == 0)
    places.push_back(
        schedules::folded_ring(position, ranks, schedules::ring_next, schedules::ring_previous));
  return schedules::tree_all_reduce(schedules::levels(places));
}

tl::KernelCall kernel(const CollectiveCall& call) {
  const Extents rank = extents_of(call.group);
  const ScheduleOptions options =
      call.options(std::int64_t{rank.pes} * rank.cubes * call.group.size);
  const auto body = [options](tl::Program& tl, tl::Tensor data, int pes, int cubes, int position,
                              int ranks) {
    const int pe = tl.program_id(0) % pes, cube = tl.program_id(1) % cubes;  // of the rank
    run_schedule(tl, schedule(pe, pes, cube, cubes, position, ranks), blocks_in_place(data, 1),
                 options);
  };
  return tl::bind_kernel(body, call.inputs.front(), rank.pes, rank.cubes,
                         ring_position(call.group, call.rank), call.group.size);
}

}  // namespace

void register_hierarchical_allreduce(AlgorithmRegistry& registry) {
  CollectiveAlgorithm algorithm{"hierarchical_allreduce",
                                "all PEs of a cube, all cubes of a SIP, all SIPs: a ring folded at "
                                "its root on each level, and back",
                                CollectiveOp::all_reduce,
                                all_sip_topologies(),
                                "equal shards on every PE of every cube",
                                {},
                                refuses,
                                graph,
                                kernel};
  algorithm.combines_shards = true;
  algorithm.every_pe = true;
  registry.add(std::move(algorithm));
}

}  // namespace kernbench::algorithms
