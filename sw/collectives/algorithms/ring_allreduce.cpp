// ring_allreduce: reduce-scatter, then all-gather, on a ring of the ranks for every PE that holds a
// shard.
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/rank_graphs.h"
#include "sw/collectives/ring_schedules.h"
#include "sw/collectives/schedule_kernels.h"

namespace kernbench::algorithms {
namespace {

tl::KernelCall kernel(const CollectiveCall& call) {
  const ScheduleOptions options = call.options(call.group.size);
  const auto body = [options](tl::Program& tl, tl::Tensor data, int position, int ranks) {
    if (!data.has_local()) return;
    run_schedule(tl, schedules::ring_all_reduce(position, ranks), blocks_in_place(data, ranks),
                 options);
  };
  return tl::bind_kernel(body, call.inputs.front(), ring_position(call.group, call.rank),
                         call.group.size);
}

}  // namespace

void register_ring_allreduce(AlgorithmRegistry& registry) {
  registry.add({"ring_allreduce",
                "reduce-scatter and all-gather along a ring of the ranks: moves the least bytes",
                CollectiveOp::all_reduce,
                all_sip_topologies(),
                "any shards, the same on every rank",
                {},
                {},
                rank_ring,
                kernel});
}

}  // namespace kernbench::algorithms
