#include "sw/tp/parallel_state.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"

namespace kernbench::tp {

ParallelState::ParallelState(Torch& torch, ModelParallel groups)
    : torch_(&torch), groups_(std::move(groups)), rank_(torch.distributed.get_rank(groups_.tensor)),
      size_(torch.distributed.get_world_size(groups_.tensor)) {}

Torch& ParallelState::torch() const {
  if (torch_ == nullptr)
    throw UsageError(
        "tp: a ParallelState is used before initialize_model_parallel(torch) has returned it");
  return *torch_;
}

const ModelParallel& ParallelState::groups() const {
  torch();
  return groups_;
}

int ParallelState::rank() const {
  torch();
  return rank_;
}

int ParallelState::size() const {
  torch();
  return size_;
}

int ParallelState::data_rank() const { return torch().distributed.get_rank(groups_.data); }
int ParallelState::data_size() const { return torch().distributed.get_world_size(groups_.data); }

std::int64_t ParallelState::part_of(const std::string& what, std::int64_t extent) const {
  if (extent < size() || extent % size() != 0)
    throw UsageError(fmt::format("{} is {}: expected a multiple of the {} tensor-parallel ranks",
                                 what, extent, size()));
  return extent / size();
}

ParallelState initialize_model_parallel(Torch& torch, std::optional<int> size) {
  Distributed& dist = torch.distributed;
  return {torch, kernbench::initialize_model_parallel(dist, size.value_or(dist.get_world_size()))};
}

void spawn(Torch& torch, const std::function<void(const ParallelState&)>& body) {
  torch.multiprocessing.spawn(
      [&](int rank) {
        torch.ahbm.set_device(rank);
        torch.distributed.init_process_group("ahbm");
        body(initialize_model_parallel(torch));
      },
      torch.distributed.ranks_to_spawn());
}

}  // namespace kernbench::tp
