// Guard against user programs that would end the process: kernels and benches that access invalid
// memory, overrun their stack, divide by zero, abort, terminate, exit, or stop the simulation (spec
// 4.2).
//
// Such a program is parked: its thread waits for ever where it stands, in a signal handler or in
// the call, and is never unwound. The scheduler goes on to the end of the delta, and the run ends
// as any that has failed, with its files. From then on another fault, or 30 s without an end of the
// process, end it with the message alone. An SC_METHOD cannot be parked: a fault there ends the
// process with the message and status 1. A fault outside of any process ends it as ever.
#pragma once

#include <csignal>
#include <exception>
#include <iterator>

namespace kernbench {

class ProgramReport;

// In force while it lives; one at a time.
class ProgramGuard {
 public:
  ProgramGuard();
  ~ProgramGuard();
  ProgramGuard(const ProgramGuard&) = delete;
  ProgramGuard& operator=(const ProgramGuard&) = delete;

  // Fault of the first program at fault, as ProgramReport words it; null: none.
  static const char* fault();
  // True if a program has been parked in this process, at fault or not: its thread must not be
  // killed.
  static bool any_parked();

  // True if the caller is on a running SC_THREAD: a program, or a thread of an external module.
  static bool can_park();
  // True on an SC_METHOD.
  static bool in_method();
  // Park the running thread. fail(): at fault, with `what` as the fault; hold(): not at fault, but
  // to end.
  [[noreturn]] static void fail(const char* what);
  [[noreturn]] static void hold(const ProgramReport& report);
  // In an SC_METHOD. note(): the run has failed, the method goes on; give_up(): prints `what` with
  // the process, and ends the program with status 1.
  static void note(const char* what);
  [[noreturn]] static void give_up(const char* what);
  [[noreturn]] static void give_up(const ProgramReport& report);

 private:
  static constexpr int signals_[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  stack_t old_stack_{};
  struct sigaction old_actions_[std::size(signals_)]{};
};

}  // namespace kernbench
