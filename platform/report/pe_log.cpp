#include "platform/report/pe_log.h"

#include <algorithm>

namespace kernbench {
namespace {

// Stable: equal elements keep their order.
template <class List, class Member>
void sort_by(List& list, Member member) {
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* a, const auto* b) { return a->*member < b->*member; });
}

// From the first element whose member is not before `time`; from the first whose member is after
// it.
template <class List, class Member>
auto first_from(const List& list, Member member, Fs time) {
  return std::lower_bound(list.begin(), list.end(), time,
                          [&](const auto* each, Fs t) { return each->*member < t; });
}
template <class List, class Member>
auto first_behind(const List& list, Member member, Fs time) {
  return std::upper_bound(list.begin(), list.end(), time,
                          [&](Fs t, const auto* each) { return t < each->*member; });
}

// First element whose member is `time`; null: none.
template <class List, class Member>
auto first_at(const List& list, Member member, Fs time) {
  const auto found = first_from(list, member, time);
  return found == list.end() || (*found)->*member != time ? nullptr : *found;
}

}  // namespace

// --- Events

void PeLogs::add(std::uint64_t id, const ExecutedOp& op) {
  if (op.node == nullptr) return;
  const OperationName& name = names_.of(op);
  if (name.place >= places_.size()) places_.resize(name.place + 1);
  PeLog*& log = places_[name.place];
  if (log == nullptr) log = &pe(name.pe);
  log->streams_of_commands_.emplace(op.command_id, op.stream);
  if (!name.span)
    log->ops_.push_back({id, op.t_start, op.t_end, &name, op.command_id, op.tile_id, op.stream});
}

void PeLogs::close(std::vector<LaunchRow> launches) {
  launches_ = std::move(launches);
  ordered_.close();
  rows_ = progress_.take();
  std::unordered_map<std::string, std::uint64_t> by_request;
  for (const LaunchRow& launch : launches_)
    for (const std::string& request : launch.requests) by_request[request] = launch.id;
  for (RunRow& run : rows_.runs) {
    const auto launch = by_request.find(run.request);
    if (launch != by_request.end()) run.launch = launch->second;
    pe(run.pe).runs_.push_back(&run);
  }
  for (const WaitRow& wait : rows_.waits) {
    PeLog& log = pe(wait.pe);
    log.waits_.push_back(&wait);
    if (wait.command) log.streams_of_commands_.emplace(*wait.command, wait.stream);
  }
  for (const CommandRow& command : rows_.commands)
    if (command.completed) pe(command.pe).commands_.push_back(&command);
  for (const MessageRow& message : rows_.messages) {
    if (!message.consumed) continue;
    pe(*message.receiver).received_.push_back(&message);
    pe(message.sender).sent_.push_back(&message);
  }
}

const PeLog& PeLogs::operator[](const std::string& name) {
  PeLog& log = pe(name);
  if (!log.sorted_) log.sort();
  return log;
}

void PeLog::sort() {
  sorted_ = true;
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
  sort_by(waits_, &WaitRow::end);
  sort_by(commands_, &CommandRow::command);
  for (const CommandRow* command : commands_) commands_by_id_[command->command] = command;
  by_dispatch_ = commands_;
  sort_by(by_dispatch_, &CommandRow::dispatched);
  sort_by(commands_, &CommandRow::completed);
  sort_by(received_, &MessageRow::id);
  sort_by(received_, &MessageRow::taken);
  by_visibility_ = received_;
  sort_by(by_visibility_, &MessageRow::visible);
  by_consumption_ = by_visibility_;
  sort_by(by_consumption_, &MessageRow::consumed);
  sort_by(sent_, &MessageRow::id);
  by_sending_ = sent_;
  sort_by(by_sending_, &MessageRow::sent);
  sort_by(sent_, &MessageRow::ring);
  find_credits();
}

// Per ring: `latest` has the credit that arrived last so far, `in_slot` its value when the slot's
// previous message had been sent.
void PeLog::find_credits() {
  const MessageRow *before = nullptr, *latest = nullptr;
  std::map<std::uint64_t, const MessageRow*> in_slot;
  for (const MessageRow* each : sent_) {
    const MessageRow& message = *each;
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

// --- Kernel

const WaitRow* PeLog::last_wait(const RunRow& run, Fs by) const {
  for (auto wait = first_behind(waits_, &WaitRow::end, by); wait != waits_.begin();) {
    --wait;
    if ((*wait)->stream == run.stream) return (*wait)->start < run.start ? nullptr : *wait;
  }
  return nullptr;
}

const WaitRow* PeLog::wait_ending_at(KernelWait::Reason reason, Fs time) const {
  const WaitRow* first = nullptr;  // by stream
  for (auto wait = first_from(waits_, &WaitRow::end, time);
       wait != waits_.end() && (*wait)->end == time; ++wait) {
    if ((*wait)->reason == reason && (first == nullptr || (*wait)->stream < first->stream))
      first = *wait;
  }
  return first;
}

const RunRow* PeLog::run_at(std::uint32_t stream, Fs time) const {
  const RunRow* last = nullptr;
  for (const RunRow* run : runs_) {
    if (run->stream != stream || run->start > time) continue;
    if (last == nullptr || run->start >= last->start) last = run;
  }
  return last;
}

const RunRow* PeLog::run_before(const RunRow& run) const {
  const RunRow* last = nullptr;
  for (const RunRow* each : runs_) {
    if (each->start >= run.start || each->end > run.start) continue;
    if (each->stream != run.stream && each->launch.value_or(0) > run.launch.value_or(0)) continue;
    if (last == nullptr || each->end > last->end) last = each;
  }
  return last;
}

const CommandRow* PeLog::command(std::uint64_t id) const {
  const auto found = commands_by_id_.find(id);
  return found == commands_by_id_.end() ? nullptr : found->second;
}

const CommandRow* PeLog::dispatched_before(const CommandRow& command) const {
  const auto at =
      std::find(first_from(by_dispatch_, &CommandRow::dispatched, command.dispatched.value_or(0)),
                by_dispatch_.end(), &command);
  return at == by_dispatch_.begin() || at == by_dispatch_.end() ? nullptr : *(at - 1);
}

const CommandRow* PeLog::completed(const RunRow& run, Fs by) const {
  auto after = first_behind(commands_, &CommandRow::completed, by);
  while (after != commands_.begin() && stream_of(**(after - 1)) != run.stream) --after;
  if (after == commands_.begin() || (*(after - 1))->completed <= run.returned) return nullptr;
  return *(after - 1);
}

// Stream of a command that no other event names: that of the run that began last.
std::uint32_t PeLog::stream_of(const CommandRow& command) const {
  const auto found = streams_of_commands_.find(command.command);
  if (found != streams_of_commands_.end()) return found->second;
  const RunRow* last = nullptr;
  for (const RunRow* run : runs_) {
    if (run->start > command.submitted) continue;
    if (last == nullptr || run->start > last->start ||
        (run->start == last->start && run->stream < last->stream))
      last = run;
  }
  return last == nullptr ? 0 : last->stream;
}

// --- Messages

const MessageRow* PeLog::received_by(const WaitRow& receive) const {
  for (auto each = first_from(received_, &MessageRow::taken, receive.start);
       each != received_.end() && (*each)->taken <= receive.end; ++each)
    if (receive_of(**each) == &receive) return *each;
  return consumed_at(receive.end);  // a receive in progress, consumed before its wait
}

const WaitRow* PeLog::receive_of(const MessageRow& message) const {
  for (const OptionalFs& end : {message.credit, message.consumed}) {
    const WaitRow* wait = wait_ending_at(KernelWait::Reason::receive, *end);
    if (wait != nullptr && wait->start <= message.taken) return wait;
  }
  return nullptr;
}

const MessageRow* PeLog::consumed_at(Fs time) const {
  return first_at(by_consumption_, &MessageRow::consumed, time);
}

const MessageRow* PeLog::read_before(const MessageRow& message) const {
  const MessageRow* before = consumed_at(*message.taken);
  return before != nullptr && before->ring == message.ring ? before : nullptr;
}

const MessageRow* PeLog::sent_at(Fs time) const {
  return first_at(by_sending_, &MessageRow::sent, time);
}

const MessageRow* PeLog::written_at(Fs time, std::uint64_t not_id) const {
  auto found = first_from(by_visibility_, &MessageRow::visible, time);
  if (found != by_visibility_.end() && (*found)->id == not_id) ++found;
  return found == by_visibility_.end() || (*found)->visible != time ? nullptr : *found;
}

const MessageRow* PeLog::freed_for(const MessageRow& sent) const {
  const auto found = freed_for_.find(sent.id);
  return found == freed_for_.end() ? nullptr : found->second;
}

}  // namespace kernbench
