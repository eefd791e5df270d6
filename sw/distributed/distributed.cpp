#include "sw/distributed/distributed.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

Worker& Distributed::worker() const {
  Worker* here = state_.runtime.worker_of_thread();
  if (here == nullptr) throw UsageError("torch.distributed is for threads of the host program");
  return *here;
}

ProcessGroup& Distributed::group(const std::string& call) const {
  if (!is_initialized())
    throw UsageError(fmt::format(
        "{}: the default process group has not been initialized; init_process_group comes first",
        call));
  return *state_.group;
}

// --- the group

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
  while (state_.group_starts)
    state_.runtime.link.port().wait(state_.group_started, "another rank's init_process_group");
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
    state_.group = std::make_shared<ProcessGroup>(state_, here.rank(), given);
  }
  state_.group->join(here.rank(), given);
}

RankCount Distributed::ranks_to_spawn(const CclChanges& changes) const {
  const RankGroup ranks = ranks_of(state_.runtime.link.port().machine(),
                                   resolve(state_.ccl, *state_.algorithms, changes));
  return {ranks.size, ranks.unit};
}

void Distributed::destroy_process_group() {
  group("destroy_process_group");
  worker().calling("distributed.destroy_process_group");
  worker().wait_all();
  std::shared_ptr<ProcessGroup>& group = state_.group;
  group->leave(worker().rank());
  if (!group->in_use()) group.reset();
}

bool Distributed::is_initialized() const {
  const auto& group = state_.group;
  return group != nullptr && group->joined(worker().rank());
}

std::string Distributed::get_backend() const {
  group("get_backend");
  return "ahbm";
}

int Distributed::get_world_size() const { return group("get_world_size").ranks().size; }

int Distributed::get_rank() const {
  group("get_rank");
  const std::optional<int> rank = worker().rank();
  if (!rank)
    state_.runtime.warn(
        "torch.distributed.get_rank outside a worker of torch.multiprocessing.spawn is 0");
  return rank.value_or(0);
}

// Outside a worker the program is rank 0, and there must be no others.
int Distributed::rank_of(const std::string& call) const {
  const std::optional<int> rank = worker().rank();
  if (rank) return *rank;
  if (get_world_size() > 1)
    throw UsageError(
        fmt::format("{} outside a worker: the other {} ranks would never come; "
                    "torch.multiprocessing.spawn runs all of them",
                    call, get_world_size() - 1));
  return get_rank();
}

void Distributed::barrier() {
  ProcessGroup& ranks = group("barrier");
  worker().calling("distributed.barrier");
  const int rank = rank_of("barrier");
  const ObservedCall observed(state_.runtime.calls, {rank, "barrier", ""});
  ranks.barrier(worker(), rank);
}

// --- collectives

Work Distributed::run(GroupCall call, bool async_op) {
  ProcessGroup& ranks = group(call.name);
  worker().calling(name_of(call.op));
  const int rank = rank_of(call.name);
  const ObservedCall observed(state_.runtime.calls,
                              {rank, call.name, text_of(call) + (async_op ? ", async" : "")});
  Work work = ranks.call(worker(), rank, call);
  if (!async_op) worker().wait(work.launch());
  return work;
}

Work Distributed::all_reduce(const Tensor& tensor, Reduction op, bool async_op) {
  return run({CollectiveOp::all_reduce, "all_reduce", {tensor}, {}, op, 0, 0}, async_op);
}

Work Distributed::broadcast(const Tensor& tensor, int src, bool async_op) {
  return run({CollectiveOp::broadcast, "broadcast", {tensor}, {}, ReduceOp::sum, src, 0}, async_op);
}

Work Distributed::reduce(const Tensor& tensor, int dst, Reduction op, bool async_op) {
  return run({CollectiveOp::reduce, "reduce", {tensor}, {}, op, dst, 0}, async_op);
}

Work Distributed::all_reduce(const Tensor& output, const Tensor& input, Reduction op,
                             bool async_op) {
  return run({CollectiveOp::all_reduce, "all_reduce", {input}, {output}, op, 0, 0}, async_op);
}

Work Distributed::broadcast(const Tensor& output, const Tensor& input, int src, bool async_op) {
  return run({CollectiveOp::broadcast, "broadcast", {input}, {output}, ReduceOp::sum, src, 0},
             async_op);
}

Work Distributed::reduce(const Tensor& output, const Tensor& input, int dst, Reduction op,
                         bool async_op) {
  return run({CollectiveOp::reduce, "reduce", {input}, {output}, op, dst, 0}, async_op);
}

Work Distributed::all_gather(const std::vector<Tensor>& outputs, const Tensor& input,
                             bool async_op) {
  return run({CollectiveOp::all_gather, "all_gather", {input}, outputs, ReduceOp::sum, 0, 0},
             async_op);
}

Work Distributed::reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs,
                                 Reduction op, bool async_op) {
  return run({CollectiveOp::reduce_scatter, "reduce_scatter", inputs, {output}, op, 0, 0},
             async_op);
}

Work Distributed::all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                             bool async_op) {
  return run({CollectiveOp::all_to_all, "all_to_all", inputs, outputs, ReduceOp::sum, 0, 0},
             async_op);
}

Work Distributed::gather(const Tensor& tensor, const std::vector<Tensor>& gather_list, int dst,
                         bool async_op) {
  return run({CollectiveOp::gather, "gather", {tensor}, gather_list, ReduceOp::sum, dst, 0},
             async_op);
}

Work Distributed::scatter(const Tensor& tensor, const std::vector<Tensor>& scatter_list, int src,
                          bool async_op) {
  return run({CollectiveOp::scatter, "scatter", scatter_list, {tensor}, ReduceOp::sum, src, 0},
             async_op);
}

Work Distributed::message(const Tensor& tensor, const Message& given) {
  ProcessGroup& ranks = group(given.name);
  worker().calling(given.name);
  const int here = rank_of(given.name);
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
      state_.runtime.calls, {here, given.name, text_of(call) + (given.async_op ? ", async" : "")});
  Work work = ranks.message(worker(), here, call, !given.is_send && !given.peer);
  if (!given.async_op) worker().wait(work.launch());
  return work;
}

Work Distributed::send(const Tensor& tensor, int dst, bool async_op) {
  return message(tensor, {"send", true, dst, 0, async_op});
}

Work Distributed::send(const Tensor& tensor, int dst, int tag) {
  return message(tensor, {"send", true, dst, tag, false});
}

Work Distributed::recv(const Tensor& tensor, std::optional<int> src, bool async_op) {
  return message(tensor, {"recv", false, src, 0, async_op});
}

Work Distributed::recv(const Tensor& tensor, std::optional<int> src, int tag) {
  return message(tensor, {"recv", false, src, tag, false});
}

Work Distributed::isend(const Tensor& tensor, int dst, int tag) {
  return message(tensor, {"isend", true, dst, tag, true});
}

Work Distributed::irecv(const Tensor& tensor, std::optional<int> src, int tag) {
  return message(tensor, {"irecv", false, src, tag, true});
}

std::vector<Work> Distributed::batch_isend_irecv(const std::vector<P2POp>& ops) {
  if (ops.empty()) throw UsageError("batch_isend_irecv: the list is empty");
  std::vector<Work> works;
  for (const P2POp& op : ops) {
    works.push_back(op.op == P2POp::isend ? isend(op.tensor, op.peer, op.tag)
                                          : irecv(op.tensor, op.peer, op.tag));
  }
  return works;
}

}  // namespace kernbench
