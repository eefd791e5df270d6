// ring_allreduce: reduce-scatter, then all-gather, on a ring of the ranks for every part of the
// tensor.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

HolderTree holders(const CollectiveCall& call) { return {call, HolderTree::Form::mesh}; }

NeighbourGraph graph(const CollectiveCall& call) { return holders(call).graph(call, rank_ring); }

tl::KernelCall kernel(const CollectiveCall& call) {
  const HolderTree tree = holders(call);
  ScheduleOptions options = call.options(call.group.size);
  // Blocks at once: the incoming one and the previous one, which is sent. A root of several holders
  // keeps its values of all blocks between its levels.
  if (!tree.shared()) options.blocks_at_once = 2;
  const auto body = [options, tree](tl::Program& tl, tl::Tensor data, int position, int ranks) {
    if (!data.has_local()) return;
    const Schedule ring = schedules::ring_all_reduce(position, ranks);
    run_schedule(tl, tree.around(tl.pe_id(), ring, ranks), blocks_in_place(data, ranks), options);
  };
  return with_own_scratch(tl::bind_kernel(body, call.inputs.front(),
                                          ring_position(call.group, call.rank), call.group.size),
                          call);
}

}  // namespace

void register_ring_allreduce(AlgorithmRegistry& registry) {
  registry.add(all_reduce_for_holders(
      "ring_allreduce",
      "reduce-scatter and all-gather along a ring of the ranks: the fewest bytes per link", graph,
      kernel));
}

}  // namespace kernbench::algorithms
