// tree_allreduce: reduces up a binary tree of the ranks and broadcasts down, for every part of the
// tensor.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/holder_tree.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/schedule_kernels.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench::algorithms {
namespace {

HolderTree holders(const CollectiveCall& call) { return {call, HolderTree::Form::mesh}; }

NeighbourGraph graph(const CollectiveCall& call) { return holders(call).graph(call, rank_tree); }

tl::KernelCall kernel(const CollectiveCall& call) {
  const ScheduleOptions options = call.options(call.group.size);
  const auto body = [options, tree = holders(call)](tl::Program& tl, tl::Tensor data, int rank,
                                                    int ranks) {
    if (!data.has_local()) return;
    run_schedule(tl, tree.through(tl.pe_id(), schedules::binary_tree(rank, ranks)),
                 blocks_in_place(data, 1), options);
  };
  return with_own_scratch(tl::bind_kernel(body, call.inputs.front(), call.rank, call.group.size),
                          call);
}

}  // namespace

void register_tree_allreduce(AlgorithmRegistry& registry) {
  registry.add(all_reduce_for_holders(
      "tree_allreduce",
      "reduce up a binary tree of the ranks to rank 0, then broadcast down: the fewest steps",
      graph, kernel));
}

}  // namespace kernbench::algorithms
