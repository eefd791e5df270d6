#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "platform/report/critical_path.h"

namespace kernbench {
namespace {

std::string text_of(const LoggedOp& op) {
  const std::string of = op.command == 0 ? "" : fmt::format(" of command {}", op.command);
  return op.tile < 0 ? op.is->name + of : fmt::format("{}{}, tile {}", op.is->name, of, op.tile);
}

std::string text_of(const MessageRow& message) {
  return fmt::format("message {} of {} bytes", message.id, message.bytes);
}

// Resources that may delay the start of an operation, beyond the logged ones.
std::string needs_of(const LoggedOp& op) {
  if (op.is->part == "fetch") return "registers, TCM read channel, overhead of the engine";
  if (op.is->part == "store") return "TCM write channel, overhead of the engine";
  if (op.is->engine == "pe_dma") return "DMA channel, tile buffer";
  if (op.is->engine == "pe_gemm" || op.is->engine == "pe_math") return "compute slot";
  return "its engine";
}

// Backward walk along the path. The cursor is a time at which an event ended; each move adds the
// steps up to its predecessor, and goes there.
class PathWalk {
 public:
  PathWalk(PeLogs& logs, const LaunchRow& launch, const std::vector<TransferHops>* transfers)
      : logs_(logs), launch_(launch), transfers_(transfers), cursor_(launch.ended) {}

  std::vector<PathStep> steps() {
    if (const auto [pe, run] = last_run(); run != nullptr) {
      operation(run->end, "launch answer", pe->pe() + " > host", "the answers of the PEs");
      Position at = answered(*pe, *run);
      // Positions at one time are finite in number, unless the log contradicts itself.
      std::uint64_t standing = 0;
      while (cursor_ > launch_.issued && standing < 1'000'000) {
        const Fs cursor = cursor_;
        at = before(at);
        standing = cursor_ < cursor ? 0 : standing + 1;
      }
    }
    wait(launch_.issued, "not in the log", "host", "no logged event explains it");
    std::reverse(steps_.begin(), steps_.end());
    return std::move(steps_);
  }

 private:
  // Event that ended at the cursor: the move to its predecessor.
  struct Position {
    std::function<Position()> before;
    std::string after;  // dependence of the following step on it
  };

  template <class Row>
  Position at(Position (PathWalk::*before)(const PeLog&, const Row&), const PeLog& pe,
              const Row& row, std::string after = "") {
    return {[this, before, &pe, &row] { return (this->*before)(pe, row); }, std::move(after)};
  }
  Position kernel_of(const PeLog& pe, std::uint32_t stream) {
    return {[this, &pe, stream] { return before_kernel(pe, stream); }, ""};
  }

  // --- Steps

  // Adds a step from `start` to the cursor, which moves there; never before the issue of the
  // launch.
  void add(Fs start, PathStep::Kind kind, const std::string& resource, const std::string& where,
           const std::string& what, std::optional<std::uint64_t> op = {}) {
    start = std::max(start, launch_.issued);
    if (start >= cursor_) return;
    steps_.push_back({start, cursor_, kind, resource, where, what, "", op});
    cursor_ = start;
  }

  void operation(Fs start, const std::string& resource, const std::string& where,
                 const std::string& what) {
    add(start, PathStep::Kind::operation, resource, where, what);
  }
  void wait(Fs start, const std::string& resource, const std::string& where,
            const std::string& what) {
    add(start, PathStep::Kind::wait, resource, where, what);
  }

  Position unexplained(const PeLog& pe, std::uint32_t stream, Fs since, const std::string& what) {
    wait(since, "not in the log", pe.pe(), what);
    return kernel_of(pe, stream);
  }

  Position before(const Position& at) {
    if (!at.after.empty() && !steps_.empty() && steps_.back().after.empty())
      steps_.back().after = at.after;
    return at.before();
  }

  // --- End of the launch

  // Run of the PE that responded last; the first by name among several.
  std::pair<const PeLog*, const RunRow*> last_run() {
    std::string last_pe;
    const RunRow* last = nullptr;
    for (const auto& [name, pe] : logs_.pes()) {
      for (const RunRow* run : pe.runs()) {
        if (run->launch != launch_.id || (last != nullptr && run->end <= last->end)) continue;
        last = run;
        last_pe = name;
      }
    }
    return {last == nullptr ? nullptr : &logs_[last_pe], last};
  }

  // Engines drain after the end of the kernel.
  Position answered(const PeLog& pe, const RunRow& run) {
    const CommandRow* command = pe.completed(run, cursor_);
    if (command == nullptr) return kernel_of(pe, run.stream);
    wait(*command->completed, "pe_cpu drain", pe.pe(), "the engines to drain");
    return at(&PathWalk::before_completion, pe, *command);
  }

  // --- The kernel's thread

  Position before_kernel(const PeLog& pe, std::uint32_t stream) {
    const RunRow* run = pe.run_at(stream, cursor_);
    if (run == nullptr)
      return unexplained(pe, stream, launch_.issued, "no kernel of this PE is in the log");
    const WaitRow* wait = pe.last_wait(*run, cursor_);
    operation(wait == nullptr ? run->start : wait->end, "pe_cpu kernel", pe.pe() + ".pe_cpu",
              fmt::format("calls of kernel '{}'", run->kernel));
    return wait == nullptr ? at(&PathWalk::before_start, pe, *run) : before_end_of(pe, *wait);
  }

  Position before_end_of(const PeLog& pe, const WaitRow& wait) {
    if (wait.reason == KernelWait::Reason::command) {
      const CommandRow* command = pe.command(wait.command.value_or(0));
      if (command != nullptr && command->completed == wait.end)
        return at(&PathWalk::before_completion, pe, *command);
      return unexplained(pe, wait.stream, wait.start,
                         fmt::format("command {}", wait.command.value_or(0)));
    }
    if (wait.reason == KernelWait::Reason::send) {
      const MessageRow* message = pe.sent_at(wait.end);
      return message == nullptr ? unexplained(pe, wait.stream, wait.start, "a send")
                                : at(&PathWalk::before_sent, pe, *message);
    }
    if (wait.reason == KernelWait::Reason::barrier) return before_barrier(pe, wait);
    const MessageRow* message = pe.received_by(wait);
    if (message == nullptr) return unexplained(pe, wait.stream, wait.start, "a receive");
    operation(*message->consumed, "ipcq credit", *message->receiver + " > " + message->sender,
              "credit of " + text_of(*message));
    return at(&PathWalk::before_consumed, pe, *message);
  }

  // PE that reached the barrier last; the first by name among several.
  Position before_barrier(const PeLog& pe, const WaitRow& wait) {
    const auto takes_part = [this](const PeLog& other) {
      return std::any_of(other.runs().begin(), other.runs().end(),
                         [this](const RunRow* run) { return run->launch == launch_.id; });
    };
    std::string last_pe;
    const WaitRow* last = nullptr;
    for (const auto& [name, other] : logs_.pes()) {
      if (!takes_part(other)) continue;
      for (const WaitRow* each : other.waits()) {
        if (each->reason != KernelWait::Reason::barrier || each->start >= wait.end) continue;
        if (last != nullptr && each->start <= last->start) continue;
        last = each;
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

  Position before_completion(const PeLog& pe, const CommandRow& command) {
    const LoggedOp* op = pe.last_of_command(command.command, cursor_);
    if (op == nullptr || op->end < command.dispatched.value_or(0)) {
      wait(command.dispatched.value_or(0), "pe_scheduler", pe.pe() + ".pe_scheduler",
           fmt::format("command {} to complete", command.command));
      return at(&PathWalk::before_dispatch, pe, command, "its dispatch");
    }
    wait(op->end, "pe_scheduler", pe.pe() + ".pe_scheduler",
         fmt::format("command {} to complete", command.command));
    return at(&PathWalk::before_op, pe, *op);
  }

  Position before_dispatch(const PeLog& pe, const CommandRow& command) {
    const CommandRow* earlier = pe.dispatched_before(command);
    const bool behind = earlier != nullptr && earlier->dispatched > command.submitted;
    operation(behind ? *earlier->dispatched : command.submitted, "pe_scheduler dispatch",
              pe.pe() + ".pe_scheduler", fmt::format("dispatch of command {}", command.command));
    return behind ? at(&PathWalk::before_dispatch, pe, *earlier, "its dispatch")
                  : kernel_of(pe, pe.stream_of(command));
  }

  // --- Operations

  Position before_op(const PeLog& pe, const LoggedOp& op) {
    walked_.insert(op.id);
    // The time before a transfer belongs to the operation.
    if (op.is->engine == "pe_dma")
      add_hops(transfers_.find(op.is->node, op.start, op.end), op.start, text_of(op), op.id);
    add(op.start, PathStep::Kind::operation, op.is->engine + " " + op.is->part, op.is->node,
        text_of(op), op.id);
    const auto found = predecessor(pe, op);
    if (!found) return kernel_of(pe, op.stream);
    wait(found->second, "start of " + op.is->part, op.is->node, needs_of(op) + ": " + text_of(op));
    return found->first;
  }

  // Adds a step for each hop of a transfer after `since`, backwards from the cursor. Null: none.
  void add_hops(const TransferHops* transfer, Fs since, const std::string& text,
                std::optional<std::uint64_t> op = {}) {
    if (transfer == nullptr) return;
    bool later = false;
    for (auto hop = transfer->hops.rbegin(); hop != transfer->hops.rend(); ++hop) {
      const Fs start = std::max(hop->start, since);
      if (start >= cursor_ || cursor_ <= launch_.issued) continue;
      if (std::exchange(later, true)) steps_.back().after = "its previous hop";
      add(start, hop->stall ? PathStep::Kind::wait : PathStep::Kind::operation,
          hop->kind + " " + hop->part, hop->place, hop->stall ? "other transfers: " + text : text,
          op);
    }
  }

  std::optional<std::pair<Position, Fs>> predecessor(const PeLog& pe, const LoggedOp& op) {
    std::optional<std::pair<Position, Fs>> best;
    const auto offer = [&](const LoggedOp* before, const char* after) {
      if (before == nullptr || walked_.count(before->id) == 1) return;
      if (best && before->end <= best->second) return;
      best.emplace(at(&PathWalk::before_op, pe, *before, after), before->end);
    };
    if (op.tile >= 0) offer(pe.last_of_tile(op, op.start), "its previous stage");
    const CommandRow* command = pe.command(op.command);
    if (command != nullptr && command->dispatched <= op.start &&
        (!best || command->dispatched > best->second)) {
      best.emplace(at(&PathWalk::before_dispatch, pe, *command, "its dispatch"),
                   command->dispatched.value_or(0));
    }
    offer(pe.last_of_part(op, op.start), "its predecessor on the engine");
    if (op.is->engine == "pe_gemm" || op.is->engine == "pe_math")
      offer(pe.last_compute(op.start), "its predecessor in the compute slot");
    if (best && best->second == op.start) return best;
    for (const LoggedOp* other : pe.ops_ending_at(op.start))
      offer(other, "resources released by another operation");
    return best;
  }

  // --- Messages

  Position before_sent(const PeLog& pe, const MessageRow& message) {
    const WaitRow* blocked = pe.wait_ending_at(KernelWait::Reason::send, message.sent);
    const MessageRow* first = pe.sent_at(message.sent);
    const MessageRow* freed = pe.freed_for(message);
    if (blocked == nullptr && freed != nullptr && freed->credit == message.sent)  // in flight
      return before_credit(*freed, message);
    if (blocked == nullptr || first == nullptr || first->id != message.id)
      return kernel_of(pe, message.send_stream);
    if (freed == nullptr || freed->credit <= blocked->start || freed->credit > message.sent) {
      operation(blocked->start, "pe_ipcq send", pe.pe() + ".pe_ipcq", text_of(message));
      return kernel_of(pe, blocked->stream);
    }
    wait(*freed->credit, "poll for a credit", pe.pe() + ".pe_ipcq", text_of(message));
    return before_credit(*freed, message);
  }

  // `message` left on the credit of `freed`.
  Position before_credit(const MessageRow& freed, const MessageRow& message) {
    operation(*freed.consumed, "ipcq credit", *freed.receiver + " > " + freed.sender,
              fmt::format("credit of {}, for {}", text_of(freed), text_of(message)));
    return at(&PathWalk::before_consumed, logs_[*freed.receiver], freed);
  }

  Position before_visible(const PeLog& pe, const MessageRow& message) {
    operation(*message.write, "ring slot write", pe.pe() + ".pe_dma", text_of(message));
    if (message.write > message.arrived) {
      const MessageRow* earlier = pe.written_at(*message.write, message.id);
      if (earlier != nullptr) return at(&PathWalk::before_visible, pe, *earlier);
      wait(*message.arrived, "start of slot write", pe.pe() + ".pe_dma", text_of(message));
    }
    add_hops(transfers_.find(message.sender + ".pe_dma", message.sent, *message.visible),
             message.sent, text_of(message));
    operation(message.sent, "message in flight", message.sender + " > " + *message.receiver,
              text_of(message));
    return at(&PathWalk::before_sent, logs_[message.sender], message);
  }

  Position before_consumed(const PeLog& pe, const MessageRow& message) {
    operation(*message.taken, "ring slot read", pe.pe() + ".pe_dma", text_of(message));
    const WaitRow* receive = pe.receive_of(message);
    // otherwise it was in flight before the kernel requested it
    const Fs since = receive == nullptr ? *message.taken : receive->start;
    if (message.visible > since || (receive == nullptr && message.visible == message.taken)) {
      wait(*message.visible, "start of receive", pe.pe() + ".pe_ipcq", text_of(message));
      return at(&PathWalk::before_visible, pe, message);
    }
    if (const MessageRow* earlier = receive == nullptr ? pe.read_before(message) : nullptr)
      return at(&PathWalk::before_consumed, pe, *earlier);
    operation(since, "pe_ipcq receive", pe.pe() + ".pe_ipcq", text_of(message));
    return kernel_of(pe, message.receive_stream.value_or(0));
  }

  // --- Start of a kernel

  const LaunchRow* find_launch(std::uint64_t id) const {
    for (const LaunchRow& launch : logs_.launches())
      if (launch.id == id) return &launch;
    return nullptr;
  }

  // Time at which the last PE of its SIP had responded to that launch, which blocked others until
  // then.
  Fs end_of_launch_on(const PeLog& pe, const RunRow& run, Fs by) const {
    Fs end = run.end;
    const std::string sip = pe.pe().substr(0, pe.pe().find('.') + 1);
    for (const auto& [name, other] : logs_.pes()) {
      if (name.compare(0, sip.size(), sip) != 0) continue;
      for (const RunRow* each : other.runs())
        if (each->launch == run.launch && each->end <= by) end = std::max(end, each->end);
    }
    return end;
  }

  Position before_start(const PeLog& pe, const RunRow& run) {
    const LaunchRow* launch = find_launch(run.launch.value_or(0));
    if (launch == nullptr)
      return unexplained(pe, run.stream, launch_.issued,
                         fmt::format("launch '{}' has not ended", run.kernel));
    const std::string label = fmt::format("launch {} of '{}'", launch->id, launch->kernel);
    const RunRow* earlier = pe.run_before(run);
    const Fs since = std::max(launch->issued, launch_.issued);
    if (earlier != nullptr && earlier->end > since) {
      operation(end_of_launch_on(pe, *earlier, run.start), "launch dispatch", "host > " + pe.pe(),
                label);
      wait(since, "earlier launch", "host > " + pe.pe(),
           fmt::format("launch {} of '{}', which has the PEs, to end", earlier->launch.value_or(0),
                       earlier->kernel));
    }
    operation(since, "launch dispatch", "host > " + pe.pe(), label + " to its common start");
    before_issue(*launch);
    return at(&PathWalk::before_start, pe, run);
  }

  // A launch on the path was issued after the analysed one.
  void before_issue(const LaunchRow& launch) {
    const LaunchRow* earlier = nullptr;
    for (const LaunchRow& each : logs_.launches()) {
      if (each.device != launch.device || each.id == launch.id || each.ended > launch.issued ||
          each.ended <= launch_.issued)
        continue;
      if (earlier == nullptr || each.ended > earlier->ended) earlier = &each;
    }
    const std::string late = fmt::format("launch {} of '{}' on {} to be issued", launch.id,
                                         launch.kernel, launch.device);
    if (earlier != nullptr) {
      wait(earlier->ended, "host program", launch.device, late);
      wait(launch_.issued, "late launch", launch.device,
           fmt::format("{}, behind launch {} of '{}'", late, earlier->id, earlier->kernel));
    }
    wait(launch_.issued, "host program", launch.device, late);
  }

  PeLogs& logs_;
  const LaunchRow& launch_;
  const TransfersByInitiator transfers_;
  Fs cursor_;
  std::vector<PathStep> steps_;     // last one first
  std::set<std::uint64_t> walked_;  // operations
};

}  // namespace

CriticalPath critical_path(PeLogs& logs, const LaunchRow& launch,
                           const std::vector<TransferHops>* transfers) {
  return {launch, PathWalk(logs, launch, transfers).steps()};
}

}  // namespace kernbench
