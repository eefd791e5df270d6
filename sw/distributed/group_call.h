// GroupCall: a collective as one rank calls it, and the checks that need only the call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/runtime/tensor.h"

namespace kernbench {

// Lists are by rank of the group; ranks are those of the world, as in PyTorch.
struct GroupCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::string name;  // "all_reduce"
  std::vector<Tensor> inputs, outputs;
  ReduceOp reduce_op = ReduceOp::sum;
  int root = 0;  // of broadcast, reduce, gather and scatter; the sender of send_recv
  int peer = 0;  // the receiver of send_recv
  int tag = 0;   // of send_recv
  // The one input, or output, has a part for each rank (all_gather_into_tensor and the like).
  bool parts_in_input = false, parts_in_output = false;
  // Of all_to_all_single with parts of different sizes: the rows for each rank, and of each; none:
  // of one size.
  std::vector<std::int64_t> input_splits{}, output_splits{};

  std::vector<std::shared_ptr<const void>> storages() const;  // of its tensors
};

// UsageError, of a call by `rank` of the world: tensors that are not on a device, ranks that are
// not in the group, lists that are too short, too long or not for this rank, a tensor that is read
// and written.
void check_call(const GroupCall& call, int rank, const RankGroup& ranks);

// "ranks 0, 2, 4"
std::string text_of_ranks(const std::vector<int>& ranks);

// "reduce sum to rank 2"
std::string text_of(const GroupCall& call);

}  // namespace kernbench
