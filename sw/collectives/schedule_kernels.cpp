#include "sw/collectives/schedule_kernels.h"

#include <utility>

#include "sw/collectives/message_cut.h"

namespace kernbench {

std::vector<BlockPosition> blocks_in_place(const tl::Tensor& data, int parts) {
  const ElementRange whole{0, data.local_shape().elements()};
  std::vector<BlockPosition> blocks;
  for (int part = 0; part < parts; ++part) {
    const ElementRange range = part_of(whole, part, parts);
    const tl::Ptr place =
        data.local() + range.begin * static_cast<std::int64_t>(size_of(data.dtype()));
    blocks.push_back({range.elements(), place, place});
  }
  return blocks;
}

tl::KernelCall with_own_scratch(tl::KernelCall kernel, const CollectiveCall& call) {
  kernel.scratch_bytes = call.scratch_bytes();
  return kernel;
}

tl::KernelCall schedule_kernel(
    const CollectiveCall& call, Schedule schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once) {
  return schedule_kernel(
      call, [schedule = std::move(schedule)](PeId) { return schedule; }, std::move(blocks),
      blocks_at_once);
}

tl::KernelCall schedule_kernel(
    const CollectiveCall& call, std::function<Schedule(PeId here)> schedule,
    std::function<std::vector<BlockPosition>(const LocalShards& shards)> blocks,
    std::int64_t blocks_at_once) {
  ScheduleOptions options = call.options(call.group.size);
  options.blocks_at_once = blocks_at_once;
  const auto kernel = [schedule = std::move(schedule), blocks = std::move(blocks),
                       inputs = call.inputs, outputs = call.outputs, options](tl::Program& tl) {
    const PeId here = tl.pe_id();
    LocalShards shards;
    for (const tl::TensorInfoPtr& tensor : inputs) shards.inputs.emplace_back(tensor, here);
    for (const tl::TensorInfoPtr& tensor : outputs) shards.outputs.emplace_back(tensor, here);
    const tl::Tensor& any = inputs.empty() ? shards.outputs.front() : shards.inputs.front();
    if (any.has_local()) run_schedule(tl, schedule(here), blocks(shards), options);
  };
  return with_own_scratch(tl::bind_kernel(kernel), call);
}

}  // namespace kernbench
