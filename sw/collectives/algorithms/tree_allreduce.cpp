// tree_allreduce: up a binary tree of the ranks and down again, for every PE that holds a shard.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/schedule_kernels.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench::algorithms {
namespace {

tl::KernelCall kernel(const CollectiveCall& call) {
  const ScheduleOptions options = call.options(call.group.size);
  const auto body = [options](tl::Program& tl, tl::Tensor data, int rank, int ranks) {
    if (!data.has_local()) return;
    run_schedule(tl, schedules::tree_all_reduce(schedules::binary_tree(rank, ranks)),
                 blocks_in_place(data, 1), options);
  };
  return tl::bind_kernel(body, call.inputs.front(), call.rank, call.group.size);
}

}  // namespace

void register_tree_allreduce(AlgorithmRegistry& registry) {
  registry.add({"tree_allreduce",
                "up a binary tree of the ranks to rank 0, and down again: the fewest steps",
                CollectiveOp::all_reduce,
                all_sip_topologies(),
                "any shards, the same on every rank",
                {},
                {},
                rank_tree,
                kernel});
}

}  // namespace kernbench::algorithms
