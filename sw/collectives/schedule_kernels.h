// Kernels that carry out a schedule on the shards of a call's tensors.
#pragma once

#include <functional>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/collectives/run_schedule.h"
#include "sw/collectives/schedule.h"

namespace kernbench {

// The running PE's shard, cut into `parts` blocks; results go where the values came from.
std::vector<BlockPosition> blocks_in_place(const tl::Tensor& data, int parts);

// `kernel` carries out schedules only: a part of the scratch of its own does for it, so that it
// never waits for what kernels beside it hold.
tl::KernelCall with_own_scratch(tl::KernelCall kernel, const CollectiveCall& call);

// Of every tensor of the call, the running PE's shard.
struct LocalShards {
  std::vector<tl::Tensor> inputs, outputs;
};

// For calls with lists of tensors: a kernel with all of them as arguments. `blocks` says what the
// blocks of the schedule are, `blocks_at_once` is ScheduleOptions'.
tl::KernelCall schedule_kernel(
    const CollectiveCall& call, Schedule schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once = 0);
// With a schedule for each PE.
tl::KernelCall schedule_kernel(
    const CollectiveCall& call, std::function<Schedule(PeId here)> schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once = 0);

}  // namespace kernbench
