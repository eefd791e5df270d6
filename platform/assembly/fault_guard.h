// Guard against faults of foreign code, wherever it runs in the process: invalid accesses, stack
// overflows, aborts, std::terminate(), exit().
//
// A fault of a program or of a thread of a module in a run is dealt with by ProgramGuard. Any other
// ends the process with the message and a status of failure. Its handlers allocate nothing and wait
// for nothing; a fault inside a handler ends the process, too.
#pragma once

#include <csignal>
#include <exception>
#include <iterator>

#include "models/base/errors.h"

namespace kernbench {

class ProgramReport;

// In force while it lives, on the thread that has made the outermost; they may be nested.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // True while one lives: no code of the program itself exits then, on whatever thread.
  static bool in_force();
  // True if besides the caller is on the thread that has made it.
  static bool on_guarded_thread();
  // Prints `what` with the place, or the report, and ends the process.
  [[noreturn]] static void give_up(const char* what, const char* subject = "it ");
  [[noreturn]] static void give_up(const ProgramReport& report, int status = exit_failed);
  // _exit() of the program itself.
  [[noreturn]] static void end_process(int status);
  // The handlers stay: threads that are parked have handlers under way.
  static void keep_handlers();

 private:
  static constexpr int signals_[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  bool outermost_;
  std::terminate_handler old_terminate_ = nullptr;
  stack_t old_stack_{};
  struct sigaction old_actions_[std::size(signals_)]{};
};

}  // namespace kernbench
