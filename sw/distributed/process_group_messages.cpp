// Messages between ranks of a ProcessGroup: the launches of their two sides. Messages of one
// direction between two ranks share a stream; different directions run concurrently.
#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/collectives/run_schedule.h"
#include "sw/distributed/process_group.h"

namespace kernbench {

struct ProcessGroup::MessageLaunch final : MessageSide {
  CollectiveCall call;
  std::shared_ptr<Worker> worker;
  LaunchHandle launch;
  std::uint64_t group = 0;  // launch group of both sides
  std::shared_ptr<CollectiveRecord> record;
};

namespace {

constexpr const char* side_ring = "_side";  // suffix of direction names

std::string awaited_by(const MessageSide& side) {
  const std::string peer = side.peer ? fmt::format("rank {}", *side.peer) : "any rank";
  return fmt::format("{} to {} {}", peer, side.is_send ? "receive" : "send", side.text());
}

}  // namespace

// Each pair of ranks has its own rings, which are small. A message with a tag may be received
// before earlier ones: the side ring serves it.
void ProcessGroup::link_messages(const GroupCall& given, CollectiveCall call) {
  NeighbourGraph graph = algorithm_of(given.op).graph_of(call);
  if (given.tag != 0) {
    call.rings = side_ring;
    graph.add(algorithm_of(given.op).graph_of(call));
  }
  if (wiring_.has(graph) || wiring_.add(graph, settings_.rings.n_slots)) return;
  throw UsageError(
      fmt::format("{}: its ring buffers use directions that torch.ipcq.install has given to others",
                  given.name));
}

std::uint32_t ProcessGroup::slots_of(const CollectiveCall& call) const {
  if (!settings_.chunking) return 1;
  std::int64_t largest = 0;
  for (const ShardLayout::Member& member : call.layout.members)
    largest = std::max(largest, member.elements);
  const MessageCut cut = message_cut(largest, 1, settings_.rings.slot_size, call.options());
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(cut.sections * cut.chunks, std::int64_t{1} << 31));
}

Work ProcessGroup::message(Worker& worker, int rank, const GroupCall& given, bool any_source) {
  check_call(given, rank, ranks_);
  const auto side = std::make_shared<MessageLaunch>();
  side->call = resolved(rank, given);
  const CollectiveAlgorithm& algorithm = algorithm_of(given.op);
  const bool is_empty = side->call.has_no_elements();
  if (!is_empty) algorithm.check(side->call);
  wiring_.await_installation();
  side->is_send = !any_source && rank == given.root;
  side->rank = rank;
  if (!any_source) side->peer = side->is_send ? given.peer : given.root;
  side->tag = given.tag;
  side->what = text_of_all_ranks(given, side->call) + in_group();
  side->slots = slots_of(side->call);
  // Else the sender has linked them.
  if (!any_source && !is_empty) link_messages(given, side->call);
  if (const Log* log = state_.runtime.collectives_log)
    log->info([&] { return fmt::format("rank {}: {} by {}", rank, side->what, algorithm.name); });

  if (const auto other = messages_.other_side_of(*side)) {
    const auto& matched = static_cast<const MessageLaunch&>(*other);
    side->record = matched.record;
    side->group = matched.group;
  } else {
    side->record = record_of(given, {{side->call, is_empty ? nullptr : &algorithm, {}, {}}});
    side->group = ++state_.runtime.launch_groups;
  }
  AwaitedLaunch launch;
  launch.name = algorithm.name;
  launch.writes = !side->is_send;
  launch.keeps = given.storages();
  side->worker = worker.shared_from_this();
  side->launch = worker.await_launch(std::move(launch));
  try {
    messages_.post(side);
  } catch (...) {
    worker.withdraw(side->launch);
    throw;
  }
  Worker::awaits(side->launch, awaited_by(*side));
  side->record->launches.push_back(side->launch);
  Work work;
  work.worker_ = side->worker;
  work.record_ = side->record;
  work.launch_ = side->launch;
  work.message_ = side;
  return work;
}

void ProcessGroup::refuse_message(MessageSide& side, const std::exception_ptr& error) {
  Worker::refuse(static_cast<MessageLaunch&>(side).launch, error);
}

void ProcessGroup::begin_message(MessageSide& side) {
  auto& message = static_cast<MessageLaunch&>(side);
  CollectiveCall& call = message.call;
  if (call.has_no_elements()) return message.worker->end_at_once(message.launch);
  const int sender = side.is_send ? side.rank : *side.peer,
            receiver = side.is_send ? *side.peer : side.rank;
  call.root = *ranks_.rank_of(sender);
  call.peer = *ranks_.rank_of(receiver);
  call.rings = side.by_side_ring ? side_ring : "";
  const auto [stream, is_new] = message_streams_.try_emplace({sender, receiver}, 0);
  if (is_new) stream->second = state_.runtime.streams++;
  const CollectiveAlgorithm& algorithm = algorithm_of(call.op);
  message.worker->begin(message.launch,
                        LaunchSpec(algorithm.name)
                            .on_pes(call.pes())
                            .group(message.group)
                            .stream(stream->second)
                            .meta({{"communication", side.is_send ? "send" : "recv"}}),
                        algorithm.kernel_of(call));
  wiring_.launched(message.worker, message.launch);
}

}  // namespace kernbench
