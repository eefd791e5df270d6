#include "platform/events/progress_log.h"

#include <algorithm>
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
  if (found != commands_.end()) found->second.row.dispatched = op.t_start;
}

void ProgressLog::write(const TraceEvent& event) {
  const CommandKey key{event.node, event.command_id};
  if (event.kind == TraceKind::command_submitted) {
    commands_[key] = {submitted_++,
                      {scope_in_machine(*event.node), event.command_id, event.time, {}, {}}};
  } else if (event.kind == TraceKind::sub_command_dispatched) {
    const auto found = commands_.find(key);
    if (found != commands_.end() && !found->second.row.dispatched)
      found->second.row.dispatched = event.time;
  } else if (event.kind == TraceKind::command_complete) {
    const auto found = commands_.find(key);
    if (found == commands_.end()) return;
    found->second.row.completed = event.time;
    rows_.commands.push_back(std::move(found->second.row));
    commands_.erase(found);
    spill_beyond_limit();
  }
}

void ProgressLog::take(const KernelStart& start) {
  rows_.starts.push_back({start.request, scope_in_machine(*start.node), start.kernel, start.start,
                          start.target, start.stream});
  spill_beyond_limit();
}

void ProgressLog::write(const KernelRun& run) {
  RunRow row{run.request,  scope_in_machine(*run.node),
             run.kernel,   run.start,
             run.returned, run.answered,
             run.target,   run.stream,
             {},           {}};
  if (*run.unwaited != '\0') row.unwaited = run.unwaited;
  rows_.runs.push_back(std::move(row));
  spill_beyond_limit();
}

void ProgressLog::write(const KernelWait& wait) {
  WaitRow row{scope_in_machine(*wait.node), wait.reason, {}, wait.start, wait.end, {}, wait.stream};
  if (wait.reason == KernelWait::Reason::command) {
    row.command = wait.command;
    row.command_kind = wait.command_kind;
  }
  rows_.waits.push_back(std::move(row));
  spill_beyond_limit();
}

void ProgressLog::take(const SlotWait& wait) {
  rows_.slot_waits.push_back(
      {scope_in_machine(*wait.node), wait.waiting, wait.start, wait.end, wait.stream});
  spill_beyond_limit();
}

void ProgressLog::write(const MessageProgress& step) {
  const MessageKey key{step.installation, step.slot, step.number};
  if (step.step == MessageProgress::Step::sent) {
    MessageRow row;
    row.id = ++sent_;
    row.ring = step.ring;
    row.number = step.number;
    row.slot = step.slot;
    row.bytes = step.bytes;
    row.sender = scope_in_machine(*step.node);
    row.sent = step.end;
    row.installation = step.installation;
    row.send_stream = step.stream;
    messages_[key] = std::move(row);
    return;
  }
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
  rows_.messages.push_back(std::move(row));
  messages_.erase(found);
  spill_beyond_limit();
}

// --- End of the run

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
  std::vector<InFlight> commands;
  for (auto& [key, command] : commands_) commands.push_back(std::move(command));
  std::sort(commands.begin(), commands.end(),
            [](const InFlight& a, const InFlight& b) { return a.place < b.place; });
  for (InFlight& command : commands) rows_.commands.push_back(std::move(command.row));
  std::vector<MessageRow> messages;
  for (auto& [key, message] : messages_) messages.push_back(std::move(message));
  std::sort(messages.begin(), messages.end(),
            [](const MessageRow& a, const MessageRow& b) { return a.id < b.id; });
  for (MessageRow& message : messages) rows_.messages.push_back(std::move(message));
  commands_.clear();
  messages_.clear();
}

ProgressRows ProgressLog::take() {
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
