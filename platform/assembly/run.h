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
  failed,  // an exception left the host program, or a model rule is broken
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
  std::optional<Fs> until;  // simulated time; what is due at that instant still happens
  std::optional<double> max_wall_s;
  // Limit of livelock: with an open wait and nothing but polling and clocks for this simulated
  // time, nor a model's event to come, the run ends as in a deadlock. None: only when nothing is
  // pending at all.
  std::optional<Fs> deadlock_after = 1'000'000 * fs_per_ns;
  // Without programs: the run has completed, too, when nobody waits any more and nothing but
  // polling and clocks has happened for deadlock_after. False: only when nothing is pending.
  bool ends_when_idle = false;
  // Bound on the delta cycles of one instant: beyond it the run has failed. 0: none.
  std::uint64_t max_deltas = 10'000'000;
  ReportListener reports;  // SC_REPORT_INFO and SC_REPORT_WARNING; empty: SystemC prints them
  std::function<bool()> interrupted;  // true: stop (Ctrl-C); also asked in a signal handler: it
                                      // neither throws nor allocates
  std::function<void(const RunProgress&)> progress;
  // An observer that samples the machine at times of its own: `sample` is called at each
  // `next_sample`, after what is due at that time. Both empty: none.
  std::function<Fs()> next_sample;
  std::function<void()> sample;
};

struct RunResult {
  RunStatus status = RunStatus::completed;
  std::exception_ptr
      cause;  // the first: LaunchError, DeadlockError, ModelError, ...; null if there is none
  std::string error;         // its text; empty if there is none
  Fs simulated = 0;          // when the program returned, else when the run ended
  std::uint64_t deltas = 0;  // delta cycles, the kernel's count of its work
  double wall_s = 0;
  std::string stuck;  // activity that let no simulated time pass when a limit or a signal ended the
                      // run; empty: none
  std::string programs;  // that ran then, with their last calls, a line for each that differs;
                         // empty if `stuck` names the one
};

// State of one machine in a run, written by its processes.
struct RunState {
  std::exception_ptr cause;
  bool has_program = false;
  bool program_ended = false;
  Fs program_ended_at = 0;
  bool done = false;           // the program has ended and nothing was under way: seen by the run
  bool pauses_at_end = false;  // sc_pause() when the program ends: the run is ours

  // Keeps the first cause, unless a process has called sc_stop() before; the simulation pauses at
  // the end of the delta.
  void fail(std::exception_ptr error);
};

struct RunOutcome {
  RunStatus status = RunStatus::completed;
  bool starved = false;  // nothing is pending
  Fs quiet = 0;          // duration of nothing but polling
  double wall_s = 0;
  std::string stuck;         // see RunResult
  std::exception_ptr fault;  // of a module, not noted in the state of a machine
};

// Queries of a run to its machines between slices.
struct RunQuestions {
  std::function<bool()> failed;          // a state has a cause
  std::function<bool()> completed;       // every program has ended and no transaction is in flight
  std::function<bool()> programs_ended;  // every one; transactions may still be in flight
  std::function<bool()> by_instants;  // how far the run goes must not hang on the length of slices
  std::function<std::uint64_t()> work;  // changes with any work, see DeadlockWatch
  std::function<bool()> waiting;        // a wait is open
  std::function<Fs()> busy_until;       // latest instant declared by a model
  std::function<bool()>
      unblock;  // at a deadlock: sets in motion what can still end; false if nothing can
};

// Simulates until a process fails, a limit is reached, nothing is pending, nothing but polling
// happens, or all programs have ended and nothing is under way.
RunOutcome run_in_slices(const RunLimits& limits, const RunQuestions& ask);

// Stops the simulation (end_of_simulation is called), unless it has ended with an error. First
// kills the threads that are left below these objects, from a process of its own, but for those of
// plain TLM-2.0 modules, which need not bear it.
void stop_simulation(const std::vector<sc_core::sc_object*>& kill_below);

}  // namespace kernbench
