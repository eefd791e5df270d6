#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/errors.h"
#include "platform/inspect/critical_path.h"

namespace kernbench {
namespace {

std::string text_of(const LoggedOp& op) {
  const std::string of = op.command == 0 ? "" : fmt::format(" of command {}", op.command);
  return op.tile < 0 ? op.is->name + of : fmt::format("{}{}, tile {}", op.is->name, of, op.tile);
}

std::string text_of(const LoggedMessage& message) {
  return fmt::format("message {} of {} bytes", message.id, message.bytes);
}

// What an operation may wait for, beyond what is logged, before it begins.
std::string needs_of(const LoggedOp& op) {
  if (op.is->part == "fetch") return "registers, TCM read channel, overhead of the engine";
  if (op.is->part == "store") return "TCM write channel, overhead of the engine";
  if (op.is->engine == "pe_dma") return "DMA channel, tile buffer";
  if (op.is->engine == "pe_gemm" || op.is->engine == "pe_math") return "compute slot";
  return "its engine";
}

// The walk backwards along the path. It is at an instant, the cursor, with something that ended
// there; each move adds the steps up to what that depended on, and goes there.
class PathWalk {
 public:
  PathWalk(PeLogs& logs, const LaunchRow& launch)
      : logs_(logs), launch_(launch), cursor_(launch.ended) {}
  std::vector<PathStep> steps();

 private:
  // What ended at the cursor.
  struct Position {
    enum class Kind : std::uint8_t {
      kernel,     // a stretch in which the kernel of the stream ran on the PE
      completed,  // a command
      dispatched,
      operation,
      sent,  // a message
      visible,
      consumed,
      begun  // a run
    };
    Kind kind = Kind::kernel;
    const PeLog* pe = nullptr;
    const LoggedCommand* command = nullptr;
    const LoggedOp* op = nullptr;
    const LoggedMessage* message = nullptr;
    const LoggedRun* run = nullptr;
    std::uint32_t stream = 0;  // of a kernel
    std::string after;         // how the step that comes next depends on it
  };
  using Kind = Position::Kind;

  static Position kernel_of(const PeLog& pe, std::uint32_t stream) {
    return {Kind::kernel, &pe, {}, {}, {}, {}, stream, {}};
  }
  static Position completion_of(const PeLog& pe, const LoggedCommand& command) {
    return {Kind::completed, &pe, &command, {}, {}, {}, {}, {}};
  }
  static Position dispatch_of(const PeLog& pe, const LoggedCommand& command) {
    return {Kind::dispatched, &pe, &command, {}, {}, {}, {}, "its dispatch"};
  }
  static Position op_of(const PeLog& pe, const LoggedOp& op, std::string after) {
    return {Kind::operation, &pe, {}, &op, {}, {}, {}, std::move(after)};
  }
  static Position message_at(Kind kind, const PeLog& pe, const LoggedMessage& message) {
    return {kind, &pe, {}, {}, &message, {}, {}, {}};
  }
  static Position start_of(const PeLog& pe, const LoggedRun& run) {
    return {Kind::begun, &pe, {}, {}, {}, &run, {}, {}};
  }

  // A step from `start` to the cursor, which moves there; nothing before the issue of the launch.
  void add(Fs start, PathStep::Kind kind, const std::string& resource, const std::string& where,
           const std::string& what, std::optional<std::uint64_t> op = {});
  void operation(Fs start, const std::string& resource, const std::string& where,
                 const std::string& what) {
    add(start, PathStep::Kind::operation, resource, where, what);
  }
  void wait(Fs start, const std::string& resource, const std::string& where,
            const std::string& what) {
    add(start, PathStep::Kind::wait, resource, where, what);
  }
  Position unexplained(const PeLog& pe, std::uint32_t stream, Fs since, const std::string& what);

  Position before_barrier(const PeLog& pe, const LoggedWait& wait);
  std::pair<const PeLog*, const LoggedRun*> last_run();
  Position answered(const PeLog& pe, const LoggedRun& run);
  Position before(const Position& at);
  Position before_kernel(const PeLog& pe, std::uint32_t stream);
  Position before_end_of(const PeLog& pe, const LoggedWait& wait);
  Position before_completion(const PeLog& pe, const LoggedCommand& command);
  Position before_dispatch(const PeLog& pe, const LoggedCommand& command);
  Position before_op(const PeLog& pe, const LoggedOp& op);
  Position before_sent(const PeLog& pe, const LoggedMessage& message);
  // The credit of `freed` let `message` go.
  Position before_credit(const LoggedMessage& freed, const LoggedMessage& message);
  Position before_visible(const PeLog& pe, const LoggedMessage& message);
  Position before_consumed(const PeLog& pe, const LoggedMessage& message);
  Position before_start(const PeLog& pe, const LoggedRun& run);
  void before_issue(const LaunchRow& launch);
  Fs end_of_launch_on(const PeLog& pe, const LoggedRun& run, Fs by) const;
  const LaunchRow* find_launch(std::uint64_t id) const;
  std::optional<Position> predecessor(const PeLog& pe, const LoggedOp& op) const;

  PeLogs& logs_;
  const LaunchRow& launch_;
  Fs cursor_;
  std::vector<PathStep> steps_;     // from the last one back
  std::set<std::uint64_t> walked_;  // operations
};

// --- Steps

void PathWalk::add(Fs start, PathStep::Kind kind, const std::string& resource,
                   const std::string& where, const std::string& what,
                   std::optional<std::uint64_t> op) {
  start = std::max(start, launch_.issued);
  if (start >= cursor_) return;
  steps_.push_back({start, cursor_, kind, resource, where, what, "", op});
  cursor_ = start;
}

PathWalk::Position PathWalk::unexplained(const PeLog& pe, std::uint32_t stream, Fs since,
                                         const std::string& what) {
  wait(since, "not in the log", pe.pe(), what);
  return kernel_of(pe, stream);
}

std::vector<PathStep> PathWalk::steps() {
  if (const auto [pe, run] = last_run(); run != nullptr) {
    operation(run->end, "launch answer", pe->pe() + " > host", "the answers of the PEs");
    Position at = answered(*pe, *run);
    // Positions of one instant are finite in number, unless the log contradicts itself.
    std::uint64_t standing = 0;
    while (cursor_ > launch_.issued && standing < 1'000'000) {
      const Fs cursor = cursor_;
      at = before(at);
      standing = cursor_ < cursor ? 0 : standing + 1;
    }
  }
  wait(launch_.issued, "not in the log", "host", "nothing that is logged explains it");
  std::reverse(steps_.begin(), steps_.end());
  return std::move(steps_);
}

PathWalk::Position PathWalk::before(const Position& at) {
  const std::size_t steps = steps_.size();
  if (!at.after.empty() && steps > 0 && steps_.back().after.empty()) steps_.back().after = at.after;
  switch (at.kind) {
    case Kind::completed:
      return before_completion(*at.pe, *at.command);
    case Kind::dispatched:
      return before_dispatch(*at.pe, *at.command);
    case Kind::operation:
      return before_op(*at.pe, *at.op);
    case Kind::sent:
      return before_sent(*at.pe, *at.message);
    case Kind::visible:
      return before_visible(*at.pe, *at.message);
    case Kind::consumed:
      return before_consumed(*at.pe, *at.message);
    case Kind::begun:
      return before_start(*at.pe, *at.run);
    case Kind::kernel:
      break;
  }
  return before_kernel(*at.pe, at.stream);
}

// --- The end of the launch

// Of the PE that answered last; of several the first by name.
std::pair<const PeLog*, const LoggedRun*> PathWalk::last_run() {
  std::string last_pe;
  const LoggedRun* last = nullptr;
  for (const auto& [name, pe] : logs_.pes()) {
    for (const LoggedRun& run : pe.runs()) {
      if (run.launch != launch_.id || (last != nullptr && run.end <= last->end)) continue;
      last = &run;
      last_pe = name;
    }
  }
  return {last == nullptr ? nullptr : &logs_[last_pe], last};
}

// The engines drain behind the end of the kernel.
PathWalk::Position PathWalk::answered(const PeLog& pe, const LoggedRun& run) {
  const LoggedCommand* command = pe.completed(run, cursor_);
  if (command == nullptr) return kernel_of(pe, run.stream);
  wait(command->completed, "pe_cpu drain", pe.pe(), "the engines to drain");
  return completion_of(pe, *command);
}

// --- The kernel's thread

PathWalk::Position PathWalk::before_kernel(const PeLog& pe, std::uint32_t stream) {
  const LoggedRun* run = pe.run_at(stream, cursor_);
  if (run == nullptr)
    return unexplained(pe, stream, launch_.issued, "no kernel of this PE is in the log");
  const LoggedWait* wait = pe.last_wait(*run, cursor_);
  operation(wait == nullptr ? run->start : wait->end, "pe_cpu kernel", pe.pe() + ".pe_cpu",
            fmt::format("calls of kernel '{}'", run->kernel));
  return wait == nullptr ? start_of(pe, *run) : before_end_of(pe, *wait);
}

PathWalk::Position PathWalk::before_end_of(const PeLog& pe, const LoggedWait& wait) {
  if (wait.reason == KernelWait::Reason::command) {
    const LoggedCommand* command = pe.command(wait.command);
    if (command != nullptr && command->completed == wait.end) return completion_of(pe, *command);
    return unexplained(pe, wait.stream, wait.start, fmt::format("command {}", wait.command));
  }
  if (wait.reason == KernelWait::Reason::send) {
    const LoggedMessage* message = pe.sent_at(wait.end);
    return message == nullptr ? unexplained(pe, wait.stream, wait.start, "a send")
                              : message_at(Kind::sent, pe, *message);
  }
  if (wait.reason == KernelWait::Reason::barrier) return before_barrier(pe, wait);
  const LoggedMessage* message = pe.received_by(wait);
  if (message == nullptr) return unexplained(pe, wait.stream, wait.start, "a receive");
  operation(message->consumed, "ipcq credit", message->receiver + " > " + message->sender,
            "credit of " + text_of(*message));
  return message_at(Kind::consumed, pe, *message);
}

// The PE that has reached it last; of several the first by name.
PathWalk::Position PathWalk::before_barrier(const PeLog& pe, const LoggedWait& wait) {
  const auto takes_part = [this](const PeLog& other) {
    return std::any_of(other.runs().begin(), other.runs().end(),
                       [this](const LoggedRun& run) { return run.launch == launch_.id; });
  };
  std::string last_pe;
  const LoggedWait* last = nullptr;
  for (const auto& [name, other] : logs_.pes()) {
    if (!takes_part(other)) continue;
    for (const LoggedWait& each : other.waits()) {
      if (each.reason != KernelWait::Reason::barrier || each.start >= wait.end) continue;
      if (last != nullptr && each.start <= last->start) continue;
      last = &each;
      last_pe = name;
    }
  }
  if (last == nullptr) return unexplained(pe, wait.stream, wait.start, "a barrier");
  operation(last->start, "barrier", last_pe + ".pe_cpu",
            "barrier of the launch, reached here last");
  const std::uint32_t stream = last->stream;
  return kernel_of(logs_[last_pe], stream);
}

// --- Commands

PathWalk::Position PathWalk::before_completion(const PeLog& pe, const LoggedCommand& command) {
  const LoggedOp* op = pe.last_of_command(command.id, cursor_);
  if (op == nullptr || op->end < command.dispatched) {
    wait(command.dispatched, "pe_scheduler", pe.pe() + ".pe_scheduler",
         fmt::format("command {} to complete", command.id));
    return dispatch_of(pe, command);
  }
  wait(op->end, "pe_scheduler", pe.pe() + ".pe_scheduler",
       fmt::format("command {} to complete", command.id));
  return op_of(pe, *op, "");
}

PathWalk::Position PathWalk::before_dispatch(const PeLog& pe, const LoggedCommand& command) {
  const LoggedCommand* earlier = pe.dispatched_before(command);
  const bool behind = earlier != nullptr && earlier->dispatched > command.submitted;
  operation(behind ? earlier->dispatched : command.submitted, "pe_scheduler dispatch",
            pe.pe() + ".pe_scheduler", fmt::format("dispatch of command {}", command.id));
  return behind ? dispatch_of(pe, *earlier) : kernel_of(pe, command.stream);
}

// --- Operations

PathWalk::Position PathWalk::before_op(const PeLog& pe, const LoggedOp& op) {
  walked_.insert(op.id);
  add(op.start, PathStep::Kind::operation, op.is->engine + " " + op.is->part, op.is->node,
      text_of(op), op.id);
  std::optional<Position> found = predecessor(pe, op);
  if (!found) return kernel_of(pe, op.stream);
  const Fs end = found->kind == Kind::operation ? found->op->end : found->command->dispatched;
  wait(end, "start of " + op.is->part, op.is->node, needs_of(op) + ": " + text_of(op));
  return *found;
}

std::optional<PathWalk::Position> PathWalk::predecessor(const PeLog& pe, const LoggedOp& op) const {
  std::optional<Position> best;
  Fs best_end = 0;
  const auto offer = [&](const LoggedOp* before, const char* after) {
    if (before == nullptr || walked_.count(before->id) == 1) return;
    if (best && before->end <= best_end) return;
    best = op_of(pe, *before, after);
    best_end = before->end;
  };
  if (op.tile >= 0) offer(pe.last_of_tile(op, op.start), "its previous stage");
  const LoggedCommand* command = pe.command(op.command);
  if (command != nullptr && command->dispatched <= op.start &&
      (!best || command->dispatched > best_end)) {
    best = dispatch_of(pe, *command);
    best_end = command->dispatched;
  }
  offer(pe.last_of_part(op, op.start), "the one before on its engine");
  if (op.is->engine == "pe_gemm" || op.is->engine == "pe_math")
    offer(pe.last_compute(op.start), "the one before in the compute slot");
  if (best && best_end == op.start) return best;
  for (const LoggedOp* other : pe.ops_ending_at(op.start))
    offer(other, "what another operation gave back");
  return best;
}

// --- Messages

PathWalk::Position PathWalk::before_sent(const PeLog& pe, const LoggedMessage& message) {
  const LoggedWait* blocked = pe.wait_ending_at(KernelWait::Reason::send, message.sent);
  const LoggedMessage* first = pe.sent_at(message.sent);
  const LoggedMessage* freed = pe.freed_for(message);
  if (blocked == nullptr && freed != nullptr && freed->credit == message.sent)  // under way
    return before_credit(*freed, message);
  if (blocked == nullptr || first == nullptr || first->id != message.id)
    return kernel_of(pe, message.send_stream);
  if (freed == nullptr || freed->credit <= blocked->start || freed->credit > message.sent) {
    operation(blocked->start, "pe_ipcq send", pe.pe() + ".pe_ipcq", text_of(message));
    return kernel_of(pe, blocked->stream);
  }
  wait(freed->credit, "poll for a credit", pe.pe() + ".pe_ipcq", text_of(message));
  return before_credit(*freed, message);
}

PathWalk::Position PathWalk::before_credit(const LoggedMessage& freed,
                                           const LoggedMessage& message) {
  operation(freed.consumed, "ipcq credit", freed.receiver + " > " + freed.sender,
            fmt::format("credit of {}, for {}", text_of(freed), text_of(message)));
  return message_at(Kind::consumed, logs_[freed.receiver], freed);
}

PathWalk::Position PathWalk::before_visible(const PeLog& pe, const LoggedMessage& message) {
  operation(message.write, "ring slot write", pe.pe() + ".pe_dma", text_of(message));
  if (message.write > message.arrived) {
    const LoggedMessage* earlier = pe.written_at(message.write, message.id);
    if (earlier != nullptr) return message_at(Kind::visible, pe, *earlier);
    wait(message.arrived, "start of slot write", pe.pe() + ".pe_dma", text_of(message));
  }
  operation(message.sent, "message in flight", message.sender + " > " + message.receiver,
            text_of(message));
  return message_at(Kind::sent, logs_[message.sender], message);
}

PathWalk::Position PathWalk::before_consumed(const PeLog& pe, const LoggedMessage& message) {
  operation(message.taken, "ring slot read", pe.pe() + ".pe_dma", text_of(message));
  const LoggedWait* receive = pe.receive_of(message);
  // Else it was under way before the kernel asked for it.
  const Fs since = receive == nullptr ? message.taken : receive->start;
  if (message.visible > since || (receive == nullptr && message.visible == message.taken)) {
    wait(message.visible, "start of receive", pe.pe() + ".pe_ipcq", text_of(message));
    return message_at(Kind::visible, pe, message);
  }
  if (const LoggedMessage* earlier = receive == nullptr ? pe.read_before(message) : nullptr)
    return message_at(Kind::consumed, pe, *earlier);
  operation(since, "pe_ipcq receive", pe.pe() + ".pe_ipcq", text_of(message));
  return kernel_of(pe, message.receive_stream);
}

// --- The start of a kernel

const LaunchRow* PathWalk::find_launch(std::uint64_t id) const {
  for (const LaunchRow& launch : logs_.launches())
    if (launch.id == id) return &launch;
  return nullptr;
}

// When the last PE of its SIP had answered that launch, which held others back until then.
Fs PathWalk::end_of_launch_on(const PeLog& pe, const LoggedRun& run, Fs by) const {
  Fs end = run.end;
  const std::string sip = pe.pe().substr(0, pe.pe().find('.') + 1);
  for (const auto& [name, other] : logs_.pes()) {
    if (name.compare(0, sip.size(), sip) != 0) continue;
    for (const LoggedRun& each : other.runs())
      if (each.launch == run.launch && each.end <= by) end = std::max(end, each.end);
  }
  return end;
}

PathWalk::Position PathWalk::before_start(const PeLog& pe, const LoggedRun& run) {
  const LaunchRow* launch = find_launch(run.launch);
  if (launch == nullptr)
    return unexplained(pe, run.stream, launch_.issued,
                       fmt::format("launch '{}' has not come to its end", run.kernel));
  const std::string label = fmt::format("launch {} of '{}'", launch->id, launch->kernel);
  const LoggedRun* earlier = pe.run_before(run);
  const Fs since = std::max(launch->issued, launch_.issued);
  if (earlier != nullptr && earlier->end > since) {
    operation(end_of_launch_on(pe, *earlier, run.start), "launch dispatch", "host > " + pe.pe(),
              label);
    wait(since, "earlier launch", "host > " + pe.pe(),
         fmt::format("launch {} of '{}', which has the PEs, to end", earlier->launch,
                     earlier->kernel));
  }
  operation(since, "launch dispatch", "host > " + pe.pe(), label + " to its common start");
  before_issue(*launch);
  return start_of(pe, run);
}

// A launch that takes part was issued after the one that is looked at.
void PathWalk::before_issue(const LaunchRow& launch) {
  const LaunchRow* earlier = nullptr;
  for (const LaunchRow& each : logs_.launches()) {
    if (each.device != launch.device || each.id == launch.id || each.ended > launch.issued ||
        each.ended <= launch_.issued)
      continue;
    if (earlier == nullptr || each.ended > earlier->ended) earlier = &each;
  }
  const std::string late =
      fmt::format("launch {} of '{}' on {} to be issued", launch.id, launch.kernel, launch.device);
  if (earlier != nullptr) {
    wait(earlier->ended, "host program", launch.device, late);
    wait(launch_.issued, "late launch", launch.device,
         fmt::format("{}, behind launch {} of '{}'", late, earlier->id, earlier->kernel));
  }
  wait(launch_.issued, "host program", launch.device, late);
}

}  // namespace

CriticalPath critical_path(PeLogs& logs, const LaunchRow& launch) {
  return {launch, PathWalk(logs, launch).steps()};
}

}  // namespace kernbench
