#include "sw/distributed/model_parallel.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

ModelParallel initialize_model_parallel(Distributed& dist, int tensor_parallel_size) {
  const int ranks = dist.get_world_size();
  if (tensor_parallel_size < 1 || ranks % tensor_parallel_size != 0)
    throw UsageError(
        fmt::format("initialize_model_parallel: {} tensor-parallel ranks, of {}; they divide the "
                    "number of ranks",
                    tensor_parallel_size, ranks));
  std::vector<std::vector<int>> across(static_cast<std::size_t>(tensor_parallel_size));
  for (int rank = 0; rank < ranks; ++rank)
    across[static_cast<std::size_t>(rank % tensor_parallel_size)].push_back(rank);
  return {*dist.new_subgroups(tensor_parallel_size).mine,
          *dist.new_subgroups_by_enumeration(across).mine};
}

}  // namespace kernbench
