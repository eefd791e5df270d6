// hierarchical_allreduce (spec 8.2, ADR-0029): reduces from the PEs of each cube to its PE 0, from
// the cubes of each SIP to cube 0, and from all SIPs to the first, and broadcasts back. Each level
// is a ring folded at its root. Levels within a SIP serve holders of the same part; if each holder
// has its own part, or ranks are PEs, only the last level remains.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

HolderTree holders(const CollectiveCall& call) { return {call, HolderTree::Form::rings}; }

NeighbourGraph graph(const CollectiveCall& call) { return holders(call).graph(call, rank_ring); }

tl::KernelCall kernel(const CollectiveCall& call) {
  ScheduleOptions options = call.options(call.group.size);
  options.pipelined = false;  // sequential, as the source's kernel
  const auto body = [options, tree = holders(call)](tl::Program& tl, tl::Tensor data, int position,
                                                    int ranks) {
    if (!data.has_local()) return;
    const schedules::TreePosition ring =
        schedules::folded_ring(position, ranks, schedules::ring_next, schedules::ring_previous);
    run_schedule(tl, tree.through(tl.pe_id(), ring), blocks_in_place(data, 1), options);
  };
  return with_own_scratch(tl::bind_kernel(body, call.inputs.front(),
                                          ring_position(call.group, call.rank), call.group.size),
                          call);
}

}  // namespace

void register_hierarchical_allreduce(AlgorithmRegistry& registry) {
  CollectiveAlgorithm algorithm = all_reduce_for_holders(
      "hierarchical_allreduce",
      "reduce by folded rings of PEs, cubes and SIPs to a root, then broadcast back", graph,
      kernel);
  algorithm.levels_within_ranks = true;
  algorithm.deep_rings = false;
  algorithm.every_pe = true;
  registry.add(std::move(algorithm));
}

}  // namespace kernbench::algorithms
