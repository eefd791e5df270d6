// Guard against faults of foreign code (kernels, benches, modules, plug-ins) anywhere in the
// process: invalid accesses, stack overflows, aborts, std::terminate(), exit() (spec 4.2).
//
// A fault ends the process with one message. Nothing is simulated or written after it, so the
// handlers need neither the heap nor a lock. A fault inside a handler also ends the process.
// Results written line by line are flushed before foreign code runs again.
#pragma once

#include <csignal>
#include <exception>
#include <iterator>
#include <string_view>

#include "models/base/errors.h"
#include "platform/assembly/program_report.h"

namespace kernbench {

// In force while it lives, on the thread that created the outermost guard. Guards may be nested.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // True while a guard lives: no code of the program itself exits then, on any thread.
  static bool in_force();
  // True if, in addition, the caller is on the thread that created the guard.
  static bool on_guarded_thread();
  // Prints `what` with the place, or `reason` and the report, and ends the process.
  [[noreturn]] static void give_up(const char* what, const char* subject = "it ");
  [[noreturn]] static void give_up(const ProgramReport& report, const char* reason);
  // Ends the process by _exit() on behalf of the program itself.
  [[noreturn]] static void end_process(int status);

  // Records a call of sc_stop() by a process: the run fails, and ends at the next wait of the
  // process.
  static void note_stop_call();
  static const char* stop_call();  // the first call, as ProgramReport formats it; null: none

 private:
  static constexpr int signals_[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  bool outermost_;
  std::terminate_handler old_terminate_ = nullptr;
  stack_t old_stack_{};
  struct sigaction old_actions_[std::size(signals_)]{};
};

// Scope of foreign code outside of any process: global objects and registration of a plug-in,
// constructors of components. A fault inside it is reported with the text of the scope. In force
// while it lives; scopes may be nested.
class ForeignCode {
 public:
  // `says`: start of the message, up to the fault: "plug-in 'a.so': its registration has failed: ".
  // `status`: exit status of the program.
  explicit ForeignCode(std::string_view says, int status = exit_failed);
  ~ForeignCode() { current_ = outer_; }
  ForeignCode(const ForeignCode&) = delete;
  ForeignCode& operator=(const ForeignCode&) = delete;

  static const ForeignCode* current() { return current_; }  // null: none
  const char* says() const { return says_.c_str(); }
  int status() const { return status_; }

 private:
  static const ForeignCode* current_;

  FixedText says_;  // not on the heap, which may be damaged
  int status_;
  const ForeignCode* outer_;
};

}  // namespace kernbench
