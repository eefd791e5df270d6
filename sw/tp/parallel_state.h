// ParallelState: tensor-parallel and data-parallel groups of a rank (Megatron-LM,
// megatron/core/parallel_state.py). Megatron keeps them in globals; here each rank has a handle,
// which layers and region functions are given.
//
//   torch.multiprocessing.spawn([&](int rank) {
//     torch.ahbm.set_device(rank);
//     torch.distributed.init_process_group("ahbm");
//     const tp::ParallelState state = tp::initialize_model_parallel(torch);
//     tp::ColumnParallelLinear fc1(state, 512, 2048);
//     tp::RowParallelLinear fc2(state, 2048, 512);
//     const Tensor y = fc2.forward(fc1.forward(x));
//   }, torch.distributed.ranks_to_spawn());
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sw/distributed/model_parallel.h"
#include "sw/torch/torch.h"

namespace kernbench::tp {

class ParallelState {
 public:
  // Not initialized: every call is a UsageError that names initialize_model_parallel.
  ParallelState() = default;
  ParallelState(Torch& torch, ModelParallel groups);

  Torch& torch() const;
  int rank() const;  // in the tensor-parallel group
  int size() const;  // of it
  const Group& group() const { return groups().tensor; }
  const Group& data_group() const { return groups().data; }
  int data_rank() const;
  int data_size() const;

  // Part of an extent that each rank has. UsageError, naming `what`, unless size() divides it.
  std::int64_t part_of(const std::string& what, std::int64_t extent) const;

 private:
  const ModelParallel& groups() const;

  Torch* torch_ = nullptr;
  ModelParallel groups_;
  int rank_ = 0, size_ = 0;
};

// Groups of `size` consecutive ranks, by default of all (sw/distributed/model_parallel.h). Every
// rank calls it after init_process_group. UsageError: a size that does not divide the number of
// ranks.
ParallelState initialize_model_parallel(Torch& torch, std::optional<int> size = {});

// Default placement of weights and results within a SIP: columns over all cubes, then over PEs.
inline const DPPolicy column_wise{Placement::column_wise, Placement::column_wise, {}, {}};

}  // namespace kernbench::tp
