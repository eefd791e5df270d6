#include "sw/distributed/distributed.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/distributed/default_group.h"
#include "sw/runtime/call_listener.h"

namespace kernbench {

namespace {

// Rows of each part of all_to_all_single; equal parts if no splits are passed.
std::vector<std::int64_t> checked_splits(const Tensor& tensor, const char* name,
                                         std::vector<std::int64_t> sizes, int ranks) {
  const std::int64_t rows = tensor.shape()[0];
  if (sizes.empty() && rows % ranks == 0)
    sizes.assign(static_cast<std::size_t>(ranks), rows / ranks);
  std::int64_t sum = 0;
  std::string text;
  for (const std::int64_t size : sizes) {
    sum = size < 0 ? -1 : sum + size;
    text += fmt::format(" {}", size);
    if (size < 0) break;
  }
  if (sum == rows && sizes.size() == static_cast<std::size_t>(ranks)) return sizes;
  throw UsageError(
      fmt::format("all_to_all_single: {} are{}, for the {} rows of tensor '{}'; one for "
                  "each of {} ranks, from 0, and all rows together",
                  name, text.empty() ? " not given" : text, rows, tensor.name(), ranks));
}

// Whether `b` holds the parts of `ranks` ranks concatenated, {ranks * d0, ...}, or stacked, {ranks,
// d0, ...}.
bool same_parts(const Shape& a, const Shape& b, int ranks) {
  const auto are = [ranks](const Shape& each, const Shape& row) {
    if (each.rank() != row.rank() + 1 || each[0] != ranks || row[0] != ranks * each[1])
      return false;
    const std::vector<std::int64_t> one = each.extents(), other = row.extents();
    return std::equal(one.begin() + 2, one.end(), other.begin() + 1);
  };
  return a == b || are(a, b) || are(b, a);
}

}  // namespace

Worker& Distributed::worker() const {
  Worker* here = state_.runtime.worker_of_thread();
  if (here == nullptr) throw UsageError("torch.distributed is for threads of the host program");
  return *here;
}

DefaultGroup& Distributed::default_group(const std::string& call) const {
  if (!is_initialized())
    throw UsageError(fmt::format(
        "{}: the default process group has not been initialized; init_process_group comes first",
        call));
  return *state_.group;
}

const CclSettings& Distributed::settings() const { return default_group("settings").settings(); }

const CollectiveAlgorithm& Distributed::algorithm() const {
  return default_group("algorithm").world()->algorithm_of(CollectiveOp::all_reduce);
}

// --- group

void Distributed::init_process_group(const std::string& backend, std::optional<int> world_size,
                                     std::optional<int> /*rank*/) {
  init(backend, {{}, world_size});
}

void Distributed::init_process_group(const std::string& backend, const CclChanges& changes) {
  init(backend, {changes, {}});
}

void Distributed::init(const std::string& backend, const GroupSettings& given) {
  if (backend != "ahbm")
    throw UsageError(fmt::format("init_process_group: backend '{}', allowed: ahbm", backend));
  Worker& here = worker();
  here.calling("distributed.init_process_group");
  const auto left = [&] { return state_.group != nullptr && state_.group->left(here.rank()); };
  while (state_.group_starts || left()) {
    HostPort& port = state_.runtime.link.port();
    if (state_.group_starts)
      port.wait(state_.group_started, "another rank's init_process_group");
    else
      port.wait(state_.group_ended, "destroy_process_group on " + state_.group->others());
  }
  if (state_.group == nullptr) {
    struct Starts {
      DistributedState& state;
      explicit Starts(DistributedState& of) : state(of) { state.group_starts = true; }
      ~Starts() {
        state.group_starts = false;
        state.group_started.notify(sc_core::SC_ZERO_TIME);
      }
    } starts(state_);
    here.wait_all();
    state_.group = std::make_shared<DefaultGroup>(state_, here.rank(), given);
  }
  state_.group->join(here.rank(), given);
}

RankCount Distributed::ranks_to_spawn(const CclChanges& changes) const {
  const RankGroup ranks = ranks_of(state_.runtime.link.port().machine(),
                                   resolve(state_.ccl, *state_.algorithms, changes));
  return {ranks.size, ranks.unit};
}

void Distributed::destroy_process_group() {
  default_group("destroy_process_group");
  worker().calling("distributed.destroy_process_group");
  worker().wait_all();
  const auto group = state_.group;
  group->leave(worker().rank());
  state_.end_group_if_over();
}

bool Distributed::is_initialized() const {
  const auto& group = state_.group;
  return group != nullptr && group->joined(worker().rank());
}

// Outside a worker the program is rank 0 and must be the only rank.
int Distributed::rank_of(const std::string& call) const {
  const std::optional<int> rank = worker().rank();
  if (rank) return *rank;
  if (get_world_size() > 1)
    throw UsageError(
        fmt::format("{} outside a worker: the other {} ranks would never call it; "
                    "torch.multiprocessing.spawn runs all of them",
                    call, get_world_size() - 1));
  return get_rank();
}

// --- collectives

Work Distributed::run(const std::vector<GroupCall>& calls, const CallOptions& options) {
  const GroupCall& first = calls.front();
  default_group(first.name);
  worker().calling(name_of(first.op));
  const int rank = rank_of(first.name);
  ProcessGroup* group = group_to_call(first.name, options.group, rank);
  if (group == nullptr) return {};
  const ObservedCall observed(
      state_.runtime.calls,
      {rank, first.name, text_of(first) + group->in_group() + (options.async_op ? ", async" : "")});
  Work work = group->call(worker(), rank, calls);
  if (!options.async_op) worker().wait(work.launch());
  return work;
}

Work Distributed::all_reduce(const Tensor& tensor, Reduction op, const CallOptions& options) {
  return run({{CollectiveOp::all_reduce, "all_reduce", {tensor}, {}, op, 0, 0}}, options);
}

Work Distributed::broadcast(const Tensor& tensor, int src, const CallOptions& options) {
  return run({{CollectiveOp::broadcast, "broadcast", {tensor}, {}, ReduceOp::sum, src, 0}},
             options);
}

Work Distributed::reduce(const Tensor& tensor, int dst, Reduction op, const CallOptions& options) {
  return run({{CollectiveOp::reduce, "reduce", {tensor}, {}, op, dst, 0}}, options);
}

Work Distributed::all_reduce(const Tensor& output, const Tensor& input, Reduction op,
                             const CallOptions& options) {
  return run({{CollectiveOp::all_reduce, "all_reduce", {input}, {output}, op, 0, 0}}, options);
}

Work Distributed::broadcast(const Tensor& output, const Tensor& input, int src,
                            const CallOptions& options) {
  return run({{CollectiveOp::broadcast, "broadcast", {input}, {output}, ReduceOp::sum, src, 0}},
             options);
}

Work Distributed::reduce(const Tensor& output, const Tensor& input, int dst, Reduction op,
                         const CallOptions& options) {
  return run({{CollectiveOp::reduce, "reduce", {input}, {output}, op, dst, 0}}, options);
}

Work Distributed::all_gather(const std::vector<Tensor>& outputs, const Tensor& input,
                             const CallOptions& options) {
  return run({{CollectiveOp::all_gather, "all_gather", {input}, outputs, ReduceOp::sum, 0, 0}},
             options);
}

Work Distributed::reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs,
                                 Reduction op, const CallOptions& options) {
  return run({{CollectiveOp::reduce_scatter, "reduce_scatter", inputs, {output}, op, 0, 0}},
             options);
}

Work Distributed::all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                             const CallOptions& options) {
  return run({{CollectiveOp::all_to_all, "all_to_all", inputs, outputs, ReduceOp::sum, 0, 0}},
             options);
}

Work Distributed::all_gather_into_tensor(const Tensor& output, const Tensor& input,
                                         const CallOptions& options) {
  GroupCall call{CollectiveOp::all_gather, "all_gather_into_tensor", {input}, {output}};
  call.parts_in_output = true;
  return run({call}, options);
}

Work Distributed::reduce_scatter_tensor(const Tensor& output, const Tensor& input, Reduction op,
                                        const CallOptions& options) {
  GroupCall call{CollectiveOp::reduce_scatter, "reduce_scatter_tensor", {input}, {output}, op};
  call.parts_in_input = true;
  return run({call}, options);
}

Work Distributed::all_to_all_single(const Tensor& output, const Tensor& input,
                                    const CallOptions& options) {
  const int ranks = get_world_size(options.group);
  if (ranks > 0 && output.deployed() && input.deployed() &&
      !same_parts(output.shape(), input.shape(), ranks))
    throw UsageError(
        fmt::format("all_to_all_single: tensor '{}' {}, tensor '{}' {}; both have the "
                    "parts of all ranks, of one size",
                    output.name(), output.shape().str(), input.name(), input.shape().str()));
  GroupCall call{CollectiveOp::all_to_all, "all_to_all_single", {input}, {output}};
  call.parts_in_input = call.parts_in_output = true;
  return run({call}, options);
}

namespace {

void check_coalesced(const char* name, std::size_t outputs, std::size_t inputs) {
  if (outputs == 0) throw UsageError(fmt::format("{}: no tensors", name));
  if (outputs != inputs)
    throw UsageError(fmt::format("{}: {} inputs and {} outputs", name, inputs, outputs));
}

}  // namespace

Work Distributed::all_reduce_coalesced(const std::vector<Tensor>& tensors, Reduction op,
                                       const CallOptions& options) {
  constexpr const char* name = "all_reduce_coalesced";
  check_coalesced(name, tensors.size(), tensors.size());
  std::vector<GroupCall> calls;
  for (const Tensor& tensor : tensors)
    calls.push_back({CollectiveOp::all_reduce, name, {tensor}, {}, op, 0, 0});
  return run(calls, options);
}

Work Distributed::all_gather_into_tensor_coalesced(const std::vector<Tensor>& outputs,
                                                   const std::vector<Tensor>& inputs,
                                                   const CallOptions& options) {
  constexpr const char* name = "all_gather_into_tensor_coalesced";
  check_coalesced(name, outputs.size(), inputs.size());
  std::vector<GroupCall> calls;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    calls.push_back({CollectiveOp::all_gather, name, {inputs[i]}, {outputs[i]}});
    calls.back().parts_in_output = true;
  }
  return run(calls, options);
}

Work Distributed::reduce_scatter_tensor_coalesced(const std::vector<Tensor>& outputs,
                                                  const std::vector<Tensor>& inputs, Reduction op,
                                                  const CallOptions& options) {
  constexpr const char* name = "reduce_scatter_tensor_coalesced";
  check_coalesced(name, outputs.size(), inputs.size());
  std::vector<GroupCall> calls;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    calls.push_back({CollectiveOp::reduce_scatter, name, {inputs[i]}, {outputs[i]}, op});
    calls.back().parts_in_input = true;
  }
  return run(calls, options);
}

Work Distributed::gather(const Tensor& tensor, const std::vector<Tensor>& gather_list, int dst,
                         const CallOptions& options) {
  return run({{CollectiveOp::gather, "gather", {tensor}, gather_list, ReduceOp::sum, dst, 0}},
             options);
}

Work Distributed::scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list, int src,
                          const CallOptions& options) {
  return run({{CollectiveOp::scatter, "scatter", scatter_list, {tensor}, ReduceOp::sum, src, 0}},
             options);
}

Work Distributed::all_to_all_single(const Tensor& output, const Tensor& input,
                                    const std::vector<std::int64_t>& output_split_sizes,
                                    const std::vector<std::int64_t>& input_split_sizes,
                                    const CallOptions& options) {
  if (output_split_sizes.empty() && input_split_sizes.empty())
    return all_to_all_single(output, input, options);
  const int ranks = get_world_size(options.group);
  GroupCall call{CollectiveOp::all_to_all, "all_to_all_single", {input}, {output}};
  call.parts_in_input = call.parts_in_output = true;
  if (ranks > 0 && output.deployed() && input.deployed()) {
    call.input_splits = checked_splits(input, "input_split_sizes", input_split_sizes, ranks);
    call.output_splits = checked_splits(output, "output_split_sizes", output_split_sizes, ranks);
  }
  return run({call}, options);
}

// --- messages

Work Distributed::message(const Tensor& tensor, const Message& given) {
  default_group(given.name);
  worker().calling(given.name);
  const int here = rank_of(given.name);
  if (given.tag < 0)
    throw UsageError(fmt::format("{}: tag {}, allowed: from 0", given.name, given.tag));
  ProcessGroup* group = group_to_call(given.name, given.group, here);
  if (group == nullptr) return {};
  if (given.peer == here)
    throw UsageError(fmt::format("{}: rank {} with itself", given.name, here));
  GroupCall call;
  call.op = CollectiveOp::send_recv;
  call.name = given.name;
  call.inputs = {tensor};
  call.root = given.is_send ? here : given.peer.value_or(here);
  call.peer = given.is_send ? *given.peer : here;
  call.tag = given.tag;
  const ObservedCall observed(
      state_.runtime.calls,
      {here, given.name, text_of(call) + group->in_group() + (given.async_op ? ", async" : "")});
  Work work = group->message(worker(), here, call, !given.is_send && !given.peer);
  if (!given.async_op) worker().wait(work.launch());
  return work;
}

Work Distributed::send(const Tensor& tensor, int dst, bool async_op) {
  return message(tensor, {"send", true, dst, {}, 0, async_op});
}

Work Distributed::send(const Tensor& tensor, int dst, int tag) {
  return message(tensor, {"send", true, dst, {}, tag, false});
}

Work Distributed::send(const Tensor& tensor, int dst, const Group& group, int tag) {
  return message(tensor, {"send", true, dst, group, tag, false});
}

Work Distributed::recv(const Tensor& tensor, std::optional<int> src, bool async_op) {
  return message(tensor, {"recv", false, src, {}, 0, async_op});
}

Work Distributed::recv(const Tensor& tensor, std::optional<int> src, int tag) {
  return message(tensor, {"recv", false, src, {}, tag, false});
}

Work Distributed::recv(const Tensor& tensor, std::optional<int> src, const Group& group, int tag) {
  return message(tensor, {"recv", false, src, group, tag, false});
}

Work Distributed::isend(const Tensor& tensor, int dst, int tag) {
  return message(tensor, {"isend", true, dst, {}, tag, true});
}

Work Distributed::isend(const Tensor& tensor, int dst, const Group& group, int tag) {
  return message(tensor, {"isend", true, dst, group, tag, true});
}

Work Distributed::irecv(const Tensor& tensor, std::optional<int> src, int tag) {
  return message(tensor, {"irecv", false, src, {}, tag, true});
}

Work Distributed::irecv(const Tensor& tensor, std::optional<int> src, const Group& group, int tag) {
  return message(tensor, {"irecv", false, src, group, tag, true});
}

std::vector<Work> Distributed::batch_isend_irecv(const std::vector<P2POp>& ops) {
  if (ops.empty()) throw UsageError("batch_isend_irecv: the list is empty");
  std::vector<Work> works;
  for (const P2POp& op : ops) {
    Work work = op.op == P2POp::isend ? isend(op.tensor, op.peer, op.group, op.tag)
                                      : irecv(op.tensor, op.peer, op.group, op.tag);
    if (is_member("batch_isend_irecv", op.group)) works.push_back(std::move(work));
  }
  return works;
}

}  // namespace kernbench
