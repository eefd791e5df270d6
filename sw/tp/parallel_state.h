// ParallelState: tensor-parallel and data-parallel groups of a rank (Megatron-LM,
// megatron/core/parallel_state.py). Megatron keeps them in globals; here each rank has a handle,
// which layers and region functions are given.
//
//   tp::spawn(torch, [&](const tp::ParallelState& state) {
//     tp::ColumnParallelLinear fc1(state, 512, 2048);
//     tp::RowParallelLinear fc2(state, 2048, 512);
//     const Tensor y = fc2.forward(fc1.forward(x));
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sw/distributed/model_parallel.h"
#include "sw/torch/torch.h"

namespace kernbench::tp {

class ParallelState {
 public:
  // Not initialized yet: every call is a UsageError that names initialize_model_parallel.
  ParallelState() = default;
  ParallelState(Torch& torch, ModelParallel groups);

  Torch& torch() const;
  int rank() const;  // rank in the tensor-parallel group
  int size() const;  // ranks of the tensor-parallel group
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

// Runs `body` on every rank of the world, on a thread and with a SIP of its own, between
// init_process_group and the end of the rank.
void spawn(Torch& torch, const std::function<void(const ParallelState&)>& body);

// Default placement of weights and results within a SIP: columns over all cubes, then over PEs.
inline const DPPolicy column_wise{Placement::column_wise, Placement::column_wise, {}, {}};

}  // namespace kernbench::tp
