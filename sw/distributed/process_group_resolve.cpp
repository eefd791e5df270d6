// Data that a rank's call moves: checks its tensors, finds their shards and parts, and chooses the
// algorithm.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/base/errors.h"
#include "sw/distributed/process_group.h"
#include "sw/distributed/tensor_parts.h"
#include "sw/tl/dtypes.h"

namespace kernbench {
namespace {

// all_reduce and reduce combine partial sums. Other collectives move values unchanged, which is
// undefined for partial sums.
void check_whole(const GroupCall& given, const Tensor& tensor) {
  if (!tensor.is_partial() || given.op == CollectiveOp::all_reduce ||
      given.op == CollectiveOp::reduce)
    return;
  throw UsageError(fmt::format(
      "{}: tensor '{}' is partial ({}), and {} moves values as they are; all_reduce, or copy_ to a "
      "tensor that is not partial, adds the partial sums up",
      given.name, tensor.name(), ShardLayout::of(*tensor.info()).str(), given.name));
}

void check_elements(const CollectiveCall& call, const GroupCall& given) {
  if (is_reduction(given.op) && takes_integers_only(given.reduce_op) && is_float(call.dtype()))
    throw UsageError(fmt::format("{}: {} of {}; bitwise reductions are of integers, i32 and i8",
                                 given.name, name_of(given.reduce_op), name_of(call.dtype())));
}

void check_dtype(const CollectiveCall& call, const GroupCall& given, const Tensor& tensor) {
  if (tensor.dtype() != call.dtype())
    throw UsageError(fmt::format("{}: tensor '{}' has elements of {}, tensor '{}' of {}",
                                 given.name, tensor.name(), name_of(tensor.dtype()),
                                 call.tensor().name, name_of(call.dtype())));
}

void check_shards(const CollectiveCall& call, const GroupCall& given, const Tensor& tensor) {
  const ShardLayout layout = ShardLayout::of(*tensor.info());
  if (!(layout == call.layout))
    throw UsageError(fmt::format("{}: tensor '{}' has {}, tensor '{}' {}", given.name,
                                 tensor.name(), layout.str(), call.tensor().name,
                                 call.layout.str()));
}

// Parts of the only input or output, or the tensors of the list.
std::vector<tl::TensorInfoPtr> tensors_of(const GroupCall& given, const std::vector<Tensor>& list,
                                          bool are_parts, const std::vector<Tensor>& others,
                                          int ranks) {
  std::vector<tl::TensorInfoPtr> tensors;
  for (const Tensor& tensor : list) tensors.push_back(tensor.info());
  if (!are_parts) return tensors;
  const bool others_are_parts = given.parts_in_input && given.parts_in_output;
  return parts_of(given.name, tensors.front(), ranks,
                  others_are_parts ? nullptr : others.front().info());
}

// Layout of a row of a tensor, which may have no rows: the first row of each shard.
ShardLayout layout_of_a_row(const tl::TensorInfo& tensor) {
  ShardLayout layout;
  std::map<std::vector<std::int64_t>, std::uint64_t> parts;  // part offsets by start position
  std::uint64_t behind = 0;
  for (const tl::Block& block : tensor.blocks) {
    std::vector<std::int64_t> extents = block.shape.extents();
    extents.front() = 1;
    const Shape row(extents);
    const auto [part, is_new] = parts.try_emplace(block.start, behind);
    if (is_new) behind += bytes_of(row, tensor.dtype);
    layout.members.push_back(
        {block.where.cube, block.where.pe, row.elements(), part->second, block.summand});
  }
  return layout;
}

// Layout of a row, of which every PE has the same part in both tensors.
ShardLayout layout_of_rows(const GroupCall& given) {
  const tl::TensorInfo &input = *given.inputs.front().info(),
                       &output = *given.outputs.front().info();
  const auto same_row = [&](const tl::Block& a, const tl::Block& b) {
    const auto behind = [](const std::vector<std::int64_t>& list) {
      return std::vector<std::int64_t>(list.begin() + 1, list.end());
    };
    return a.where == b.where && a.shape[0] == input.shape[0] && b.shape[0] == output.shape[0] &&
           behind(a.shape.extents()) == behind(b.shape.extents()) &&
           behind(a.start) == behind(b.start);
  };
  if (!std::equal(input.blocks.begin(), input.blocks.end(), output.blocks.begin(),
                  output.blocks.end(), same_row))
    throw UsageError(fmt::format(
        "{}: tensor '{}' {} has {}, tensor '{}' {} {}; parts of different sizes are of tensors on "
        "the same PEs that are cut alike, and not along axis 0",
        given.name, input.name, describe(input.dtype, input.shape), ShardLayout::of(input).str(),
        output.name, describe(output.dtype, output.shape), ShardLayout::of(output).str()));
  return layout_of_a_row(input);
}

}  // namespace

void ProcessGroup::check_place(const CollectiveCall& call, const GroupCall& given,
                               const Tensor& tensor) const {
  for (const tl::Block& block : tensor.info()->blocks) {
    const PeId expected = ranks_.place(call.rank, block.where.cube, block.where.pe);
    if (!(block.where == expected))
      throw UsageError(fmt::format(
          "{}: tensor '{}' is on sip{}, but rank {} works on {}; torch.ahbm.set_device(rank) comes "
          "before the tensors",
          given.name, tensor.name(), block.where.sip, ranks_.world_rank(call.rank),
          ranks_.unit == RankUnit::sip ? fmt::format("sip{}", expected.sip) : expected.str()));
  }
}

CollectiveCall ProcessGroup::resolved(int rank, const GroupCall& given) const {
  CollectiveCall call;
  call.op = given.op;
  call.reduce_op = given.reduce_op;
  call.rank = *ranks_.rank_of(rank);
  call.root = ranks_.rank_of(given.root).value_or(0);  // none: a call without a root
  call.peer = ranks_.rank_of(given.peer).value_or(0);
  call.group = ranks_;
  call.settings = settings_;
  for (const std::vector<Tensor>* tensors : {&given.inputs, &given.outputs}) {
    for (const Tensor& tensor : *tensors) check_whole(given, tensor);
  }
  if (!given.input_splits.empty()) {
    call.inputs = {given.inputs.front().info()};
    call.outputs = {given.outputs.front().info()};
    call.layout = layout_of_rows(given);
    call.one_tensor_each = true;
    check_elements(call, given);
    for (const Tensor& tensor : {given.inputs.front(), given.outputs.front()}) {
      check_dtype(call, given, tensor);
      check_place(call, given, tensor);
    }
    return call;
  }
  call.inputs = tensors_of(given, given.inputs, given.parts_in_input, given.outputs, ranks_.size);
  call.outputs = tensors_of(given, given.outputs, given.parts_in_output, given.inputs, ranks_.size);
  call.layout = ShardLayout::of(call.tensor());
  check_elements(call, given);
  const auto check = [&](const std::vector<Tensor>& tensors, bool are_parts) {
    for (const Tensor& tensor : tensors) {
      check_dtype(call, given, tensor);
      if (!are_parts && !given.parts_in_input) check_shards(call, given, tensor);
      check_place(call, given, tensor);
      if (given.parts_in_input || given.parts_in_output) call.wholes.push_back(tensor.info());
    }
  };
  check(given.inputs, given.parts_in_input);
  check(given.outputs, given.parts_in_output);
  return call;
}

CollectiveStep ProcessGroup::step_of(int rank, const GroupCall& given) const {
  check_call(given, rank, ranks_);
  CollectiveStep step{resolved(rank, given), nullptr, given.input_splits, given.output_splits};
  if (step.call.has_no_elements()) return step;
  step.algorithm = &algorithm_for(step.call);
  step.algorithm->check(step.call);
  return step;
}

void ProcessGroup::check_coalesced(const std::vector<GroupCall>& given,
                                   const std::vector<CollectiveStep>& steps) {
  if (given.size() == 1) return;
  const CollectiveCall& first = steps.front().call;
  const auto same_pe = [](const ShardLayout::Member& a, const ShardLayout::Member& b) {
    return a.cube == b.cube && a.pe == b.pe;
  };
  std::map<const tl::TensorInfo*, std::size_t> written;  // index of the writing call
  const auto check_use = [&](const Tensor& tensor, std::size_t by) {
    const auto found = written.find(tensor.info().get());
    if (found != written.end() && found->second != by)
      throw UsageError(fmt::format(
          "{}: tensor '{}' is written by one of the coalesced collectives and used by another",
          given[by].name, tensor.name()));
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const CollectiveCall& call = steps[i].call;
    check_dtype(first, given[i], given[i].inputs.front());
    if (!std::equal(call.layout.members.begin(), call.layout.members.end(),
                    first.layout.members.begin(), first.layout.members.end(), same_pe))
      throw UsageError(fmt::format(
          "{}: tensor '{}' has {}, tensor '{}' {}; coalesced tensors are on the same PEs",
          given[i].name, call.tensor().name, call.layout.str(), first.tensor().name,
          first.layout.str()));
    for (const Tensor& tensor : given[i].outputs.empty() ? given[i].inputs : given[i].outputs) {
      check_use(tensor, i);
      written.emplace(tensor.info().get(), i);
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (const Tensor& tensor : given[i].inputs) check_use(tensor, i);
  }
}

}  // namespace kernbench
