#include "platform/inspect/pe_log.h"

#include <algorithm>
#include <systemc>

#include "platform/assembly/machine_root.h"

namespace kernbench {
namespace {

// `list`, ordered by a member; equal ones keep their order.
template <class List, class Member>
void sort_by(List& list, Member member) {
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* a, const auto* b) { return a->*member < b->*member; });
}

// The first whose member is `time`; null: none.
template <class List, class Member>
auto first_at(const List& list, Member member, Fs time) {
  const auto found = std::lower_bound(list.begin(), list.end(), time,
                                      [&](const auto* each, Fs t) { return each->*member < t; });
  return found == list.end() || (*found)->*member != time ? nullptr : *found;
}

}  // namespace

// --- Events

PeLogs::PeLogs(Observation& observation)
    : executed_ops_(observation.executed_ops, *this), events_(observation.trace_events, *this),
      kernel_runs_(observation.kernel_runs, *this), kernel_waits_(observation.kernel_waits, *this),
      steps_(observation.message_progress, *this) {}

PeLog& PeLogs::pe_of(const sc_core::sc_object& node) {
  PeLog*& log = by_node_[&node];
  if (log == nullptr) {
    const std::string pe = scope_in_machine(node);
    log = &pes_.try_emplace(pe, pe).first->second;
  }
  return *log;
}

void PeLogs::write(const ExecutedOp& op) {
  ++ops_;
  if (op.node == nullptr) return;
  pe_of(*op.node).add(
      {ops_, op.t_start, op.t_end, &names_.of(op), op.command_id, op.tile_id, op.stream});
}

void PeLog::add(const LoggedOp& op) {
  streams_of_commands_.emplace(op.command, op.stream);
  if (!op.is->span) {
    ops_.push_back(op);
  } else if (op.is->engine == "pe_scheduler") {  // a composite begins with its dispatch
    const auto command = commands_.find(op.command);
    if (command != commands_.end()) command->second.dispatched = op.start;
  }
}

void PeLogs::write(const TraceEvent& event) {
  if (event.kind != TraceKind::command_submitted &&
      event.kind != TraceKind::sub_command_dispatched && event.kind != TraceKind::command_complete)
    return;
  auto& commands = pe_of(*event.node).commands_;
  if (event.kind == TraceKind::command_submitted) {
    LoggedCommand& command = commands[event.command_id];
    command = {event.command_id, event.time, never_fs, never_fs, 0};
    return;
  }
  const auto found = commands.find(event.command_id);
  if (found == commands.end()) return;
  if (event.kind == TraceKind::command_complete)
    found->second.completed = event.time;
  else if (found->second.dispatched == never_fs)
    found->second.dispatched = event.time;
}

void PeLogs::write(const KernelRun& run) {
  pe_of(*run.node).runs_.push_back(
      {run.request, run.kernel, run.start, run.returned, run.answered, run.stream, 0});
}

void PeLogs::write(const KernelWait& wait) {
  pe_of(*wait.node).add(LoggedWait{wait.reason, wait.command, wait.start, wait.end, wait.stream});
}

void PeLog::add(const LoggedWait& wait) {
  if (wait.reason == KernelWait::Reason::command)
    streams_of_commands_.emplace(wait.command, wait.stream);
  waits_.push_back(wait);
}

void PeLogs::write(const MessageProgress& step) {
  const std::tuple key(step.installation, step.slot, step.number);
  PeLog& pe = pe_of(*step.node);
  if (step.step == MessageProgress::Step::sent) {
    LoggedMessage& message = in_flight_[key];
    message.id = ++sent_;
    message.ring = step.ring;
    message.number = step.number;
    message.slot = step.slot;
    message.bytes = step.bytes;
    message.sender = pe.pe();
    message.sent = step.end;
    message.send_stream = step.stream;
    return;
  }
  const auto found = in_flight_.find(key);
  if (found == in_flight_.end()) return;  // observed from its middle
  LoggedMessage& message = found->second;
  if (step.step == MessageProgress::Step::written) {
    message.receiver = pe.pe();
    message.arrived = step.arrived;
    message.write = step.start;
    message.visible = step.end;
    return;
  }
  message.taken = step.start;
  message.consumed = step.end;
  message.credit = step.credit;
  message.receive_stream = step.stream;
  const LoggedMessage* consumed = &messages_.emplace_back(std::move(message));
  in_flight_.erase(found);
  pe.received_.push_back(consumed);
  pes_.at(consumed->sender).sent_.push_back(consumed);
}

// --- The end

void PeLogs::close(const std::vector<LaunchRow>& launches) {
  launches_ = launches;
  std::unordered_map<std::string, std::uint64_t> by_request;
  for (const LaunchRow& launch : launches)
    for (const std::string& request : launch.requests) by_request[request] = launch.id;
  for (auto& [name, pe] : pes_) {
    for (LoggedRun& run : pe.runs_) {
      const auto found = by_request.find(run.request);
      run.launch = found == by_request.end() ? 0 : found->second;
    }
  }
}

const PeLog& PeLogs::operator[](const std::string& pe) {
  PeLog& log = pes_.try_emplace(pe, pe).first->second;
  if (!log.sorted_) log.sort();
  return log;
}

void PeLog::sort() {
  sorted_ = true;
  sort_ops();
  sort_commands();
  std::stable_sort(waits_.begin(), waits_.end(), [](const LoggedWait& a, const LoggedWait& b) {
    return std::tie(a.end, a.start) < std::tie(b.end, b.start);
  });
  std::sort(received_.begin(), received_.end(), [](const LoggedMessage* a, const LoggedMessage* b) {
    return std::tie(a->taken, a->id) < std::tie(b->taken, b->id);
  });
  by_visibility_ = received_;
  sort_by(by_visibility_, &LoggedMessage::visible);
  by_consumption_ = by_visibility_;
  sort_by(by_consumption_, &LoggedMessage::consumed);
  std::sort(sent_.begin(), sent_.end(), [](const LoggedMessage* a, const LoggedMessage* b) {
    return std::tie(a->ring, a->id) < std::tie(b->ring, b->id);
  });
  by_sending_ = sent_;
  std::sort(by_sending_.begin(), by_sending_.end(),
            [](const LoggedMessage* a, const LoggedMessage* b) {
              return std::tie(a->sent, a->id) < std::tie(b->sent, b->id);
            });
  find_credits();
}

void PeLog::sort_ops() {
  std::stable_sort(ops_.begin(), ops_.end(),
                   [](const LoggedOp& a, const LoggedOp& b) { return a.end < b.end; });
  for (std::size_t place = 0; place < ops_.size(); ++place) {
    const LoggedOp& op = ops_[place];
    const std::string& engine = op.is->engine;
    if (engine == "pe_gemm" || engine == "pe_math") compute_.push_back(place);
    by_part_[{engine, op.is->part}].push_back(place);
    by_command_[op.command].push_back(place);
    if (op.tile >= 0) by_tile_[{op.command, op.tile}].push_back(place);
  }
}

void PeLog::sort_commands() {
  for (auto each = commands_.begin(); each != commands_.end();)
    each = each->second.completed == never_fs ? commands_.erase(each) : std::next(each);
  for (auto& [id, command] : commands_) {
    if (command.dispatched == never_fs) command.dispatched = 0;
    const auto stream = streams_of_commands_.find(id);
    command.stream =
        stream == streams_of_commands_.end() ? stream_at(command.submitted) : stream->second;
    by_dispatch_.push_back(&command);
  }
  by_completion_ = by_dispatch_;
  sort_by(by_dispatch_, &LoggedCommand::dispatched);
  sort_by(by_completion_, &LoggedCommand::completed);
}

// Of each ring: `latest` has the credit that came last so far, `in_slot` what that was when the
// slot's message before had been sent.
void PeLog::find_credits() {
  const LoggedMessage *before = nullptr, *latest = nullptr;
  std::map<std::uint64_t, const LoggedMessage*> in_slot;
  for (const LoggedMessage* each : sent_) {
    const LoggedMessage& message = *each;
    const bool installed_again = before != nullptr && message.number <= before->number;
    if (before == nullptr || before->ring != message.ring || installed_again) {
      latest = nullptr;
      in_slot.clear();
    }
    before = &message;
    freed_for_[message.id] = in_slot[message.slot];
    if (latest == nullptr || message.credit >= latest->credit) latest = &message;
    in_slot[message.slot] = latest;
  }
}

// --- Operations

const LoggedOp* PeLog::last_of(const Places& places, Fs by) const {
  const auto after =
      std::upper_bound(places.begin(), places.end(), by,
                       [&](Fs time, std::size_t place) { return time < ops_[place].end; });
  return after == places.begin() ? nullptr : &ops_[*(after - 1)];
}

const LoggedOp* PeLog::last_of_part(const LoggedOp& like, Fs by) const {
  const auto found = by_part_.find({like.is->engine, like.is->part});
  return found == by_part_.end() ? nullptr : last_of(found->second, by);
}

const LoggedOp* PeLog::last_of_tile(const LoggedOp& like, Fs by) const {
  const auto found = by_tile_.find({like.command, like.tile});
  return found == by_tile_.end() ? nullptr : last_of(found->second, by);
}

const LoggedOp* PeLog::last_of_command(std::uint64_t command, Fs by) const {
  const auto found = by_command_.find(command);
  return found == by_command_.end() ? nullptr : last_of(found->second, by);
}

std::vector<const LoggedOp*> PeLog::ops_ending_at(Fs time) const {
  std::vector<const LoggedOp*> found;
  const auto first = std::lower_bound(ops_.begin(), ops_.end(), time,
                                      [](const LoggedOp& op, Fs t) { return op.end < t; });
  for (auto op = first; op != ops_.end() && op->end == time; ++op) found.push_back(&*op);
  return found;
}

// --- The kernel

const LoggedWait* PeLog::last_wait(const LoggedRun& run, Fs by) const {
  const auto after =
      std::upper_bound(waits_.begin(), waits_.end(), by,
                       [](Fs time, const LoggedWait& wait) { return time < wait.end; });
  for (auto wait = after; wait != waits_.begin();) {
    --wait;
    if (wait->stream == run.stream) return wait->start < run.start ? nullptr : &*wait;
  }
  return nullptr;
}

const LoggedWait* PeLog::wait_ending_at(KernelWait::Reason reason, Fs time) const {
  const LoggedWait* first = nullptr;  // by stream
  auto wait = std::lower_bound(waits_.begin(), waits_.end(), time,
                               [](const LoggedWait& each, Fs t) { return each.end < t; });
  for (; wait != waits_.end() && wait->end == time; ++wait) {
    if (wait->reason == reason && (first == nullptr || wait->stream < first->stream))
      first = &*wait;
  }
  return first;
}

const LoggedRun* PeLog::run_at(std::uint32_t stream, Fs time) const {
  const LoggedRun* last = nullptr;
  for (const LoggedRun& run : runs_) {
    if (run.stream != stream || run.start > time) continue;
    if (last == nullptr || run.start >= last->start) last = &run;
  }
  return last;
}

std::uint32_t PeLog::stream_at(Fs time) const {
  const LoggedRun* last = nullptr;
  for (const LoggedRun& run : runs_) {
    if (run.start > time) continue;
    if (last == nullptr || run.start > last->start ||
        (run.start == last->start && run.stream < last->stream))
      last = &run;
  }
  return last == nullptr ? 0 : last->stream;
}

const LoggedRun* PeLog::run_before(const LoggedRun& run) const {
  const LoggedRun* last = nullptr;
  for (const LoggedRun& each : runs_) {
    if (each.start >= run.start || each.end > run.start) continue;
    if (each.stream != run.stream && each.launch > run.launch) continue;
    if (last == nullptr || each.end > last->end) last = &each;
  }
  return last;
}

const LoggedCommand* PeLog::command(std::uint64_t id) const {
  const auto found = commands_.find(id);
  return found == commands_.end() ? nullptr : &found->second;
}

const LoggedCommand* PeLog::dispatched_before(const LoggedCommand& command) const {
  const auto at = std::find(
      std::lower_bound(by_dispatch_.begin(), by_dispatch_.end(), command.dispatched,
                       [](const LoggedCommand* each, Fs t) { return each->dispatched < t; }),
      by_dispatch_.end(), &command);
  return at == by_dispatch_.begin() || at == by_dispatch_.end() ? nullptr : *(at - 1);
}

const LoggedCommand* PeLog::completed(const LoggedRun& run, Fs by) const {
  auto after =
      std::upper_bound(by_completion_.begin(), by_completion_.end(), by,
                       [](Fs t, const LoggedCommand* each) { return t < each->completed; });
  while (after != by_completion_.begin() && (*(after - 1))->stream != run.stream) --after;
  if (after == by_completion_.begin() || (*(after - 1))->completed <= run.returned) return nullptr;
  return *(after - 1);
}

// --- Messages

const LoggedMessage* PeLog::received_by(const LoggedWait& receive) const {
  auto each =
      std::lower_bound(received_.begin(), received_.end(), receive.start,
                       [](const LoggedMessage* message, Fs t) { return message->taken < t; });
  for (; each != received_.end() && (*each)->taken <= receive.end; ++each)
    if (receive_of(**each) == &receive) return *each;
  return consumed_at(receive.end);  // a receive under way, taken before it was waited for
}

const LoggedWait* PeLog::receive_of(const LoggedMessage& message) const {
  for (const Fs end : {message.credit, message.consumed}) {
    const LoggedWait* wait = wait_ending_at(KernelWait::Reason::receive, end);
    if (wait != nullptr && wait->start <= message.taken) return wait;
  }
  return nullptr;
}

const LoggedMessage* PeLog::consumed_at(Fs time) const {
  return first_at(by_consumption_, &LoggedMessage::consumed, time);
}

const LoggedMessage* PeLog::read_before(const LoggedMessage& message) const {
  const LoggedMessage* before = consumed_at(message.taken);
  return before != nullptr && before->ring == message.ring ? before : nullptr;
}

const LoggedMessage* PeLog::sent_at(Fs time) const {
  return first_at(by_sending_, &LoggedMessage::sent, time);
}

const LoggedMessage* PeLog::written_at(Fs time, std::uint64_t not_id) const {
  auto found =
      std::lower_bound(by_visibility_.begin(), by_visibility_.end(), time,
                       [](const LoggedMessage* message, Fs t) { return message->visible < t; });
  if (found != by_visibility_.end() && (*found)->id == not_id) ++found;
  return found == by_visibility_.end() || (*found)->visible != time ? nullptr : *found;
}

const LoggedMessage* PeLog::freed_for(const LoggedMessage& sent) const {
  const auto found = freed_for_.find(sent.id);
  return found == freed_for_.end() ? nullptr : found->second;
}

}  // namespace kernbench
