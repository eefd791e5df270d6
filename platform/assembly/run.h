// A simulation run in slices: limits, status at the end, checks between slices (spec 4.4).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/base/units.h"
#include "platform/assembly/report_guard.h"

namespace kernbench {

enum class RunStatus : std::uint8_t {
  completed,
  failed,  // an exception left the host program, or a model invariant is broken
  deadlock,
  until_reached,
  wall_limit,
  interrupted,  // by a signal, or because another machine of the simulation has failed
};
const char* name_of(RunStatus status);  // "completed", "until_reached", ...

struct RunProgress {
  Fs simulated = 0;
  std::uint64_t deltas = 0;
  double wall_s = 0;
};

struct RunLimits {
  std::optional<Fs> until;  // simulated time; events due at that time still occur
  std::optional<double> max_wall_s;
  // Livelock limit: with an open wait and only polling and clock events for this simulated time,
  // and no model event due, the run ends as in a deadlock. None: the run ends only when no event is
  // pending at all.
  std::optional<Fs> deadlock_after = 1'000'000 * fs_per_ns;
  // Without programs: the run also completes when no wait is open and only polling and clock events
  // have occurred for deadlock_after. False: it completes only when no event is pending.
  bool ends_when_idle = false;
  // Bound on the delta cycles of one timestep: beyond it the run fails. 0: none.
  std::uint64_t max_deltas = 10'000'000;
  ReportListener reports;  // SC_REPORT_INFO and SC_REPORT_WARNING; empty: SystemC prints them
  std::function<bool()> interrupted;  // true: stop (Ctrl-C); also called in a signal handler: it
                                      // neither throws nor allocates
  std::function<void(const RunProgress&)> progress;
  // Observer that samples the machine at times of its choice: `sample` is called at each
  // `next_sample`, after the events due at that time. Both empty: none.
  std::function<Fs()> next_sample;
  std::function<void()> sample;
};

struct RunResult {
  RunStatus status = RunStatus::completed;
  std::exception_ptr
      cause;  // first cause: LaunchError, DeadlockError, ModelError, ...; null if there is none
  std::string error;         // its text; empty if there is none
  Fs simulated = 0;          // time at which the program returned, else at which the run ended
  std::uint64_t deltas = 0;  // delta cycles, the kernel's measure of work
  double wall_s = 0;
  std::string stuck;  // activity that kept simulated time from advancing when a limit or a signal
                      // ended the run; empty: none
  std::string programs;  // programs that ran then, with their last calls, one line per distinct
                         // text; empty if `stuck` names the only one
};

// State of one machine in a run, written by its processes.
struct RunState {
  std::exception_ptr cause;
  bool has_program = false;
  bool program_ended = false;
  Fs program_ended_at = 0;
  bool done =
      false;  // the program has ended and no transaction was in flight, as observed by the run
  bool pauses_at_end = false;  // sc_pause() when the program ends: the run owns the simulation

  // Keeps the first cause, unless a process has called sc_stop() earlier. The simulation pauses at
  // the end of the delta.
  void fail(std::exception_ptr error);
};

struct RunOutcome {
  RunStatus status = RunStatus::completed;
  bool starved = false;  // no event is pending
  Fs quiet = 0;          // duration with polling only
  double wall_s = 0;
  std::string stuck;         // see RunResult
  std::exception_ptr fault;  // fault of a module, not recorded in the state of a machine
};

// Queries of a run to its machines, between slices.
struct RunQuestions {
  std::function<bool()> failed;          // a machine has recorded a cause of failure
  std::function<bool()> completed;       // every program has ended and no transaction is in flight
  std::function<bool()> programs_ended;  // as completed, but transactions may be in flight
  std::function<bool()> by_instants;  // the end of the run must not depend on the length of slices
  std::function<std::uint64_t()> work;  // changes with any progress, see DeadlockWatch
  std::function<bool()> waiting;        // a wait is open
  std::function<Fs()> busy_until;       // latest time declared by a model
  std::function<bool()>
      unblock;  // at a deadlock: starts whatever can still end; false if nothing can
};

// Simulates until a process fails, a limit is reached, no event is pending, only polling happens,
// or all programs have ended and no transaction is in flight.
RunOutcome run_in_slices(const RunLimits& limits, const RunQuestions& ask);

// Stops the simulation (end_of_simulation is called) unless it has ended with an error. Before
// that, a process of its own kills the threads left below these objects, except those of plain
// TLM-2.0 modules, which need not support it.
void stop_simulation(const std::vector<sc_core::sc_object*>& kill_below);

}  // namespace kernbench
