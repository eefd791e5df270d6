#include "platform/assembly/shared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/exception_text.h"
#include "models/data/functional_model.h"
#include "models/protocol/transaction.h"
#include "platform/assembly/fault_guard.h"
#include "platform/assembly/machine_root.h"
#include "platform/assembly/platform.h"

namespace kernbench {

class SharedRun {
 public:
  SharedRun(const std::vector<Platform*>& machines, const RunLimits& limits,
            const MachineEnded& ended)
      : machines_(machines), limits_(limits), ended_(ended) {
    for (Platform* machine : machines_) machine->state_.pauses_at_end = true;
  }

  std::vector<RunResult> run() {
    const FaultGuard guard;
    const ReportGuard reports(limits_.reports);
    try {
      outcome_ = run_in_slices(limits_, questions());
    } catch (...) {  // a SystemC error, or the exception that left a process
      outcome_ = RunOutcome();
      outcome_.status = RunStatus::failed;
      outcome_.fault = with_place(std::current_exception());
    }
    std::vector<RunResult> results;
    for (Platform* machine : machines_) results.push_back(result_of(*machine));
    stop(results);
    for (std::size_t i = 0; i < machines_.size(); ++i) finish(*machines_[i], results[i]);
    return results;
  }

 private:
  template <class Ask>
  bool any(Ask ask) const {
    return std::any_of(machines_.begin(), machines_.end(), [&](Platform* m) { return ask(*m); });
  }
  template <class Ask>
  bool all(Ask ask) const {
    return !any([&](Platform& machine) { return !ask(machine); });
  }

  RunQuestions questions() {
    RunQuestions ask;
    ask.failed = [this] { return any([](Platform& m) { return m.state_.cause != nullptr; }); };
    ask.completed = [this] { return all_done(); };
    ask.programs_ended = [this] { return all([](Platform& m) { return m.state_.program_ended; }); };
    ask.by_instants = [this] {
      return any([](Platform& m) { return m.state_.program_ended && !m.state_.done; });
    };
    ask.work = [this] {
      std::uint64_t work = 0;
      for (Platform* machine : machines_) work += machine->work_done();
      return work;
    };
    ask.waiting = [this] { return any(&waits); };
    ask.busy_until = [this] {
      Fs latest = 0;
      for (Platform* machine : machines_)
        latest = std::max(latest, machine->pending_waits_.busy_until());
      return latest;
    };
    ask.unblock = [this] {
      bool any = false;
      for (Platform* machine : machines_) any = machine->unblock() || any;
      return any;
    };
    return ask;
  }

  static bool waits(Platform& machine) {
    return machine.pending_waits_.any() || machine.pool_->outstanding() != 0;
  }

  bool all_done() {
    for (Platform* machine : machines_) {
      if (machine->state_.done || !machine->is_done()) continue;
      machine->state_.done = true;
      if (ended_) ended_(*machine, machine->result_so_far(RunStatus::completed));
    }
    return all([](Platform& m) { return m.state_.done; });
  }

  // First cause, and whether a machine is at fault.
  std::exception_ptr cause() const {
    for (const Platform* machine : machines_) {
      if (machine->state_.cause) return machine->state_.cause;
    }
    return outcome_.fault;
  }
  bool is_at_fault(const Platform& machine) const {
    if (machine.state_.cause) return true;
    if (any([](Platform& m) { return m.state_.cause != nullptr; })) return false;
    const std::string text = text_of(outcome_.fault);
    const auto begins = [&](const Platform& m) { return m.root_->is_start_of(text); };
    return begins(machine) || !any(begins);
  }

  RunResult result_of(Platform& machine) {
    if (machine.state_.done) return with_outcome(machine.result_so_far(RunStatus::completed));
    RunResult result = with_outcome(machine.result_so_far(outcome_.status));
    switch (outcome_.status) {
      case RunStatus::failed:
        result.cause = machine.state_.cause ? machine.state_.cause : cause();
        if (!is_at_fault(machine)) result.status = RunStatus::interrupted;
        break;
      case RunStatus::deadlock:
        result.cause =
            machine.blocked(fmt::format("livelock at {}: nothing but polling and clocks for {}",
                                        format_ns(Component::now()), format_ns(outcome_.quiet)));
        if (machines_.size() > 1 && !waits(machine)) {
          result.status = RunStatus::completed;
          result.cause = nullptr;
        }
        break;
      case RunStatus::completed:
        if (outcome_.starved) result.cause = machine.starvation();
        if (result.cause) result.status = RunStatus::deadlock;
        break;
      case RunStatus::wall_limit:
      case RunStatus::interrupted:
        if (result.stuck.empty()) result.programs = machine.running_programs();
        break;
      default:
        break;
    }
    return result;
  }

  RunResult with_outcome(RunResult result) const {
    result.wall_s = outcome_.wall_s;
    result.stuck = outcome_.stuck;
    return result;
  }

  // Programs may still run in a run that was cut short; they need not support being killed.
  void stop(const std::vector<RunResult>& results) const {
    std::vector<sc_core::sc_object*> kill_below;
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (results[i].status != RunStatus::completed && !machines_[i]->options_.tear_down) continue;
      const MachineRoot& root = *machines_[i]->root_;
      // A machine at the top is the only one in the simulation.
      const auto& objects = root.at_top() ? sc_core::sc_get_top_level_objects() : root.objects();
      kill_below.insert(kill_below.end(), objects.begin(), objects.end());
    }
    stop_simulation(kill_below);
  }

  static void finish(Platform& machine, RunResult& result) {
    if (machine.options_.data != nullptr) machine.options_.data->resolve();
    machine.check_pool(result);
    machine.check_connections(result);
    result.error = text_of(result.cause);
  }

  const std::vector<Platform*>& machines_;
  const RunLimits& limits_;
  const MachineEnded& ended_;
  RunOutcome outcome_;
};

std::vector<RunResult> run_together(const std::vector<Platform*>& machines, const RunLimits& limits,
                                    const MachineEnded& ended) {
  return SharedRun(machines, limits, ended).run();
}

}  // namespace kernbench
