#include "platform/events/progress_log.h"

#include <algorithm>
#include <iterator>
#include <systemc>

#include "platform/assembly/machine_root.h"

namespace kernbench {
void ProgressRows::insert_into(OpTable& table) const {
  table.insert(starts);
  table.insert(runs);
  table.insert(waits);
  table.insert(slot_waits);
  table.insert(commands);
  table.insert(messages);
}

ProgressLog::ProgressLog(Observation& observation)
    : ops_(observation.executed_ops, op_subscriber_), events_(observation.trace_events, *this),
      starts_(observation.kernel_starts, start_subscriber_), runs_(observation.kernel_runs, *this),
      waits_(observation.kernel_waits, *this),
      slot_waits_(observation.slot_waits, slot_wait_subscriber_),
      steps_(observation.message_progress, *this) {}

ProgressLog::ProgressLog(Observation& observation, OpTable& table, std::uint64_t limit)
    : ProgressLog(observation) {
  table_ = &table;
  limit_ = limit;
}

// --- Events

// A composite was dispatched at the start of its record.
void ProgressLog::take(const ExecutedOp& op) {
  if (op.tile_id >= 0) return;
  const auto found = commands_.find({op.node, op.command_id});
  if (found != commands_.end()) found->second.dispatched = op.t_start;
}

void ProgressLog::write(const TraceEvent& event) {
  const CommandKey key{event.node, event.command_id};
  if (event.kind == TraceKind::command_submitted) {
    commands_[key] = {scope_in_machine(*event.node), event.command_id, event.time, {}, {}};
  } else if (event.kind == TraceKind::sub_command_dispatched) {
    const auto found = commands_.find(key);
    if (found != commands_.end() && !found->second.dispatched)
      found->second.dispatched = event.time;
  } else if (event.kind == TraceKind::command_complete) {
    const auto found = commands_.find(key);
    if (found == commands_.end()) return;
    found->second.completed = event.time;
    add(rows_.commands, event.time, std::move(found->second));
    commands_.erase(found);
  }
}

void ProgressLog::take(const KernelStart& start) {
  add(rows_.starts, start.start,
      KernelStartRow{start.request, scope_in_machine(*start.node), start.kernel, start.start,
                     start.target, start.stream});
}

void ProgressLog::write(const KernelRun& run) {
  RunRow row{run.request,  scope_in_machine(*run.node),
             run.kernel,   run.start,
             run.returned, run.answered,
             run.target,   run.stream,
             {},           {}};
  if (*run.unwaited != '\0') row.unwaited = run.unwaited;
  add(rows_.runs, row.end, std::move(row));
}

void ProgressLog::write(const KernelWait& wait) {
  WaitRow row{scope_in_machine(*wait.node), wait.reason, {}, wait.start, wait.end, {}, wait.stream};
  if (wait.reason == KernelWait::Reason::command) {
    row.command = wait.command;
    row.command_kind = wait.command_kind;
  }
  add(rows_.waits, row.end, std::move(row));
}

void ProgressLog::take(const SlotWait& wait) {
  add(rows_.slot_waits, wait.end,
      SlotWaitRow{scope_in_machine(*wait.node), wait.waiting, wait.start, wait.end, wait.stream});
}

void ProgressLog::write(const MessageProgress& step) {
  const MessageKey key{step.installation, step.slot, step.number};
  if (step.step == MessageProgress::Step::sent) {
    MessageRow row;
    row.ring = step.ring;
    row.number = step.number;
    row.slot = step.slot;
    row.bytes = step.bytes;
    row.sender = scope_in_machine(*step.node);
    row.sent = step.end;
    row.installation = step.installation;
    row.send_stream = step.stream;
    return sent_now_.add(step.end, std::move(row),
                         [this](MessageRow&& sent) { number(std::move(sent)); });
  }
  sent_now_.end_before(step.end, [this](MessageRow&& sent) { number(std::move(sent)); });
  const auto found = messages_.find(key);
  if (found == messages_.end()) return;  // observed from its middle
  MessageRow& row = found->second;
  if (step.step == MessageProgress::Step::written) {
    row.receiver = scope_in_machine(*step.node);
    row.arrived = step.arrived;
    row.write = step.start;
    row.visible = step.end;
    return;
  }
  row.taken = step.start;
  row.consumed = step.end;
  row.credit = step.credit;
  row.receive_stream = step.stream;
  add(rows_.messages, step.end, std::move(row));
  messages_.erase(found);
}

void ProgressLog::number(MessageRow message) {
  message.id = ++sent_;
  const MessageKey key{message.installation, message.slot, message.number};
  messages_[key] = std::move(message);
}

// --- Order

bool ProgressLog::RowOrder::operator()(const KernelStartRow& a, const KernelStartRow& b) const {
  return std::tie(a.pe, a.stream, a.request) < std::tie(b.pe, b.stream, b.request);
}
bool ProgressLog::RowOrder::operator()(const RunRow& a, const RunRow& b) const {
  return std::tie(a.pe, a.stream, a.request) < std::tie(b.pe, b.stream, b.request);
}
bool ProgressLog::RowOrder::operator()(const WaitRow& a, const WaitRow& b) const {
  return std::tie(a.pe, a.stream, a.start, a.reason, a.command) <
         std::tie(b.pe, b.stream, b.start, b.reason, b.command);
}
bool ProgressLog::RowOrder::operator()(const SlotWaitRow& a, const SlotWaitRow& b) const {
  return std::tie(a.pe, a.stream, a.start, a.waiting) <
         std::tie(b.pe, b.stream, b.start, b.waiting);
}
bool ProgressLog::RowOrder::operator()(const CommandRow& a, const CommandRow& b) const {
  return std::tie(a.pe, a.command) < std::tie(b.pe, b.command);
}
bool ProgressLog::RowOrder::operator()(const MessageRow& a, const MessageRow& b) const {
  return a.id < b.id;
}
bool ProgressLog::SendOrder::operator()(const MessageRow& a, const MessageRow& b) const {
  return std::tie(a.sender, a.installation, a.ring, a.number) <
         std::tie(b.sender, b.installation, b.ring, b.number);
}

template <class Row>
void ProgressLog::add(std::vector<Row>& rows, Fs end, Row row) {
  std::get<Instant<Row>>(instants_).add(end, std::move(row), [this, &rows](Row&& each) {
    rows.push_back(std::move(each));
    spill_beyond_limit();
  });
}

// --- End of the run

void ProgressLog::end_instants() {
  const auto end = [this](auto& instant, auto& rows) {
    instant.end([&rows](auto&& row) { rows.push_back(std::move(row)); });
  };
  end(std::get<0>(instants_), rows_.starts);
  end(std::get<1>(instants_), rows_.runs);
  end(std::get<2>(instants_), rows_.waits);
  end(std::get<3>(instants_), rows_.slot_waits);
  end(std::get<4>(instants_), rows_.commands);
  end(std::get<5>(instants_), rows_.messages);
  sent_now_.end([this](MessageRow&& sent) { number(std::move(sent)); });
}

void ProgressLog::spill_beyond_limit() {
  if (table_ == nullptr || rows_.size() < limit_) return;
  try {
    if (!fault_) rows_.insert_into(*table_);
  } catch (const std::exception&) {  // this may be an SC_METHOD, which no exception may leave
    fault_ = std::current_exception();
  }
  rows_ = {};
}

void ProgressLog::take_unfinished() {
  std::vector<CommandRow> commands;
  for (auto& [key, command] : commands_) commands.push_back(std::move(command));
  std::sort(commands.begin(), commands.end(), [](const CommandRow& a, const CommandRow& b) {
    return std::tie(a.submitted, a.pe, a.command) < std::tie(b.submitted, b.pe, b.command);
  });
  std::move(commands.begin(), commands.end(), std::back_inserter(rows_.commands));
  std::vector<MessageRow> messages;
  for (auto& [key, message] : messages_) messages.push_back(std::move(message));
  std::sort(messages.begin(), messages.end(), RowOrder());
  std::move(messages.begin(), messages.end(), std::back_inserter(rows_.messages));
  commands_.clear();
  messages_.clear();
}

ProgressRows ProgressLog::take() {
  end_instants();
  take_unfinished();
  return std::move(rows_);
}

void ProgressLog::close(const std::vector<LaunchRow>& launches) {
  if (fault_) std::rethrow_exception(fault_);
  take().insert_into(*table_);
  std::vector<LaunchRow> sorted = launches;
  std::stable_sort(sorted.begin(), sorted.end(), [](const LaunchRow& a, const LaunchRow& b) {
    return std::tie(a.issued, a.device) < std::tie(b.issued, b.device);
  });
  table_->insert(std::move(sorted));
}

}  // namespace kernbench
