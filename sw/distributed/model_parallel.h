// Groups of data x tensor parallel ranks, as in Megatron-LM: a tensor-parallel group has
// consecutive ranks, a data-parallel group the ranks with the same position in each tensor-parallel
// group.
#pragma once

#include "sw/distributed/distributed.h"

namespace kernbench {

// Groups of the calling rank.
struct ModelParallel {
  Group tensor, data;
};

// Example for 8 ranks with tensor_parallel_size 2: tensor {0, 1}, {2, 3}, {4, 5}, {6, 7}, data {0,
// 2, 4, 6}, {1, 3, 5, 7}. Every rank calls it. UsageError: a size that does not divide the number
// of ranks.
ModelParallel initialize_model_parallel(Distributed& dist, int tensor_parallel_size);

}  // namespace kernbench
