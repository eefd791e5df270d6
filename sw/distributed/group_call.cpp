#include "sw/distributed/group_call.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/base/group_similar_messages.h"
#include "sw/runtime/worker.h"

namespace kernbench {
namespace {

using Tensors = std::vector<Tensor>;

void check_tensors(const GroupCall& call) {
  for (const Tensors* tensors : {&call.inputs, &call.outputs}) {
    for (const Tensor& tensor : *tensors) {
      if (!tensor.deployed())
        throw UsageError(fmt::format("{}: a tensor that is not on a device", call.name));
    }
  }
}

void check_ranks(const GroupCall& call, const RankGroup& ranks) {
  const bool is_message = call.op == CollectiveOp::send_recv;
  if (!has_root(call.op) && !is_message) return;
  for (const int each : {call.root, is_message ? call.peer : call.root}) {
    if (ranks.rank_of(each)) continue;
    if (ranks.members.empty())
      throw UsageError(
          fmt::format("{}: rank {}, but there are ranks 0 to {}", call.name, each, ranks.size - 1));
    throw UsageError(
        fmt::format("{}: rank {} is not in the group, which has {}; ranks are those of the world",
                    call.name, each, text_of_ranks(ranks.members)));
  }
}

void check_one_each(const GroupCall& call, const Tensors& list, int ranks) {
  if (list.size() == static_cast<std::size_t>(ranks)) return;
  throw UsageError(fmt::format("{}: {} tensors in the list; it has one for each of the {} ranks",
                               call.name, list.size(), ranks));
}

// Only the root passes a list, as in PyTorch.
void check_list_of_root(const GroupCall& call, const Tensors& list, const char* name, int rank,
                        int ranks) {
  const std::string root =
      fmt::format("{}: rank {}{}", call.name, call.root,
                  call.op == CollectiveOp::gather ? " is the destination" : " is the source");
  if (rank == call.root) {
    if (list.empty())
      throw UsageError(fmt::format(
          "{} and has to give {}, with one tensor for each of the {} ranks", root, name, ranks));
    check_one_each(call, list, ranks);
  } else if (!list.empty()) {
    throw UsageError(
        fmt::format("{}; rank {} gives {}, too, which only that one does", root, rank, name));
  }
}

void check_lists(const GroupCall& call, int rank, int ranks) {
  const auto one_each = [&](const Tensors& list, bool is_one_tensor) {
    if (!is_one_tensor) check_one_each(call, list, ranks);
  };
  switch (call.op) {
    case CollectiveOp::all_to_all:
      one_each(call.outputs, call.parts_in_output);
      return one_each(call.inputs, call.parts_in_input);
    case CollectiveOp::all_gather:
      return one_each(call.outputs, call.parts_in_output);
    case CollectiveOp::reduce_scatter:
      return one_each(call.inputs, call.parts_in_input);
    case CollectiveOp::gather:
      return check_list_of_root(call, call.outputs, "gather_list", rank, ranks);
    case CollectiveOp::scatter:
      return check_list_of_root(call, call.inputs, "scatter_list", rank, ranks);
    default:
      return;
  }
}

// Outputs are written while inputs are still read, so they must be distinct tensors, except the
// part of this rank, which may be gathered or scattered in place.
void check_distinct(const GroupCall& call, std::optional<int> rank) {
  const auto own = [&](const Tensors& list, std::size_t index) {
    return call.op != CollectiveOp::all_to_all &&
           (list.size() == 1 || static_cast<int>(index) == rank);
  };
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Tensor& output = call.outputs[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (call.outputs[j].info() == output.info())
        throw UsageError(
            fmt::format("{}: tensor '{}' is two of the outputs", call.name, output.name()));
    }
    for (std::size_t j = 0; j < call.inputs.size(); ++j) {
      if (call.inputs[j].info() == output.info() && !(own(call.outputs, i) && own(call.inputs, j)))
        throw UsageError(
            fmt::format("{}: tensor '{}' is an input and an output; only the part of the calling "
                        "rank may be, of gathers and scatters",
                        call.name, output.name()));
    }
  }
}

}  // namespace

std::vector<std::shared_ptr<const void>> GroupCall::storages() const {
  std::vector<std::shared_ptr<const void>> storages;
  for (const Tensors* tensors : {&inputs, &outputs}) {
    for (const Tensor& tensor : *tensors) storages.push_back(Worker::storage_of(tensor));
  }
  return storages;
}

void check_call(const GroupCall& call, int rank, const RankGroup& ranks) {
  check_tensors(call);
  check_ranks(call, ranks);
  check_lists(call, rank, ranks.size);
  check_distinct(call, ranks.rank_of(rank));
}

std::string text_of_ranks(const std::vector<int>& ranks) {
  std::vector<std::size_t> indices;
  std::vector<std::string> names;
  for (const int rank : ranks) {
    indices.push_back(indices.size());
    names.push_back(std::to_string(rank));
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + first_of(indices, names, 8);
}

std::string text_of(const GroupCall& call) {
  std::string text = call.op == CollectiveOp::send_recv ? "a message" : call.name;
  if (call.tag != 0) text += fmt::format(" with tag {}", call.tag);
  if (is_reduction(call.op)) text += std::string(" ") + name_of(call.reduce_op);
  const bool from = call.op == CollectiveOp::broadcast || call.op == CollectiveOp::scatter;
  const bool to = call.op == CollectiveOp::reduce || call.op == CollectiveOp::gather;
  if (from || to) text += (from ? " from rank " : " to rank ") + std::to_string(call.root);
  return text;
}

}  // namespace kernbench
