// Transitions between tensors that all tensor-parallel ranks have and tensors of which each rank
// has a part (Megatron-LM, megatron/core/tensor_parallel/mappings.py); forward only. With one rank
// each returns its input, without a collective.
//
// Tensors have rank 2: {rows (sequence), columns (features)}. Results have the placement of the
// input unless `policy` is given. UsageError: another rank, an extent that the ranks do not divide.
// Collectives accept the placements of spec 7.
#pragma once

#include <optional>

#include "sw/tp/parallel_state.h"

namespace kernbench::tp {

// Identity (its gradient is an all-reduce).
Tensor copy_to_tp_region(const ParallelState& state, const Tensor& x);
// Sum over the ranks, in place: one all_reduce.
Tensor reduce_from_tp_region(const ParallelState& state, const Tensor& x);
// {M, N} -> the rank's columns {M, N / size}: a kernel, no collective.
Tensor scatter_to_tp_region(const ParallelState& state, const Tensor& x,
                            std::optional<DPPolicy> policy = {});
// {M, n} -> {M, n * size}: one all_gather, then a kernel that puts the parts side by side.
Tensor gather_from_tp_region(const ParallelState& state, const Tensor& x,
                             std::optional<DPPolicy> policy = {});

// {M, N} -> the rank's rows {M / size, N}: a kernel, no collective.
Tensor scatter_to_sequence_parallel_region(const ParallelState& state, const Tensor& x,
                                           std::optional<DPPolicy> policy = {});
// {m, N} -> {m * size, N}: one all_gather.
Tensor gather_from_sequence_parallel_region(const ParallelState& state, const Tensor& x);
// {M, N} -> the rank's rows {M / size, N} of the sum over the ranks: one reduce_scatter.
Tensor reduce_scatter_to_sequence_parallel_region(const ParallelState& state, const Tensor& x);

}  // namespace kernbench::tp
