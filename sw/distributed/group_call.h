// GroupCall: a collective as one rank calls it, and the checks that need only the call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/runtime/tensor.h"

namespace kernbench {

// Lists are indexed by rank of the group; rank numbers are those of the world, as in PyTorch.
struct GroupCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string name;  // "all_reduce"
  std::vector<Tensor> inputs, outputs;
  ReduceOp reduce_op = ReduceOp::sum;
  int root = 0;  // for broadcast, reduce, gather and scatter; sender of send_recv
  int peer = 0;  // receiver of send_recv
  int tag = 0;   // for send_recv
  // The only input, or output, has a part for each rank (all_gather_into_tensor and similar calls).
  bool parts_in_input = false, parts_in_output = false;
  // all_to_all_single with parts of different sizes: rows for each rank, and from each rank; empty:
  // equal parts.
  std::vector<std::int64_t> input_splits{}, output_splits{};

  std::vector<std::shared_ptr<const void>> storages() const;  // storages of all tensors of the call
};

// Checks a call by `rank` of the world. UsageError: tensors that are not on a device, ranks outside
// the group, lists of the wrong length or on the wrong rank, a tensor that is read and written.
void check_call(const GroupCall& call, int rank, const RankGroup& ranks);

// "ranks 0, 2, 4"
std::string text_of_ranks(const std::vector<int>& ranks);

// "reduce sum to rank 2"
std::string text_of(const GroupCall& call);

}  // namespace kernbench
