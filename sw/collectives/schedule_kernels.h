// Kernels that execute a schedule on the shards of a call's tensors.
#pragma once

#include <functional>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/collectives/run_schedule.h"
#include "sw/collectives/schedule.h"

namespace kernbench {

// Shard of the running PE, cut into `parts` blocks; results replace the values in place.
std::vector<BlockPosition> blocks_in_place(const tl::Tensor& data, int parts);

// `kernel` only executes schedules: it gets a private part of the scratch, so that it never waits
// for memory that concurrent kernels hold.
tl::KernelCall with_own_scratch(tl::KernelCall kernel, const CollectiveCall& call);

// Shards of the running PE, of every tensor of the call.
struct LocalShards {
  std::vector<tl::Tensor> inputs, outputs;
};

// Kernel of calls with lists of tensors, with all of them as arguments. `blocks` defines the blocks
// of the schedule; `blocks_at_once` as in ScheduleOptions.
tl::KernelCall schedule_kernel(
    const CollectiveCall& call, Schedule schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once = 0);
// Variant with a schedule for each PE.
tl::KernelCall schedule_kernel(
    const CollectiveCall& call, std::function<Schedule(PeId here)> schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once = 0);

}  // namespace kernbench
