// Guard against faults of foreign code (kernels, benches, modules, plug-ins), wherever it runs in
// the process: invalid accesses, stack overflows, aborts, std::terminate(), exit() (spec 4.2).
//
// A fault ends the process with one message. Nothing is simulated or written after it, so that the
// handlers need neither the heap nor a lock; a fault inside a handler ends the process, too.
// Results that are written line by line are flushed before foreign code runs again.
#pragma once

#include <csignal>
#include <exception>
#include <iterator>
#include <string_view>

#include "models/base/errors.h"
#include "platform/assembly/program_report.h"

namespace kernbench {

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
  // Prints `what` with the place, or `reason` and the report, and ends the process.
  [[noreturn]] static void give_up(const char* what, const char* subject = "it ");
  [[noreturn]] static void give_up(const ProgramReport& report, const char* reason);
  // _exit() of the program itself.
  [[noreturn]] static void end_process(int status);

  // A call of sc_stop() by a process: it fails the run, which ends when the process waits.
  static void note_stop_call();
  static const char* stop_call();  // the first, as ProgramReport words it; null: none

 private:
  static constexpr int signals_[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

  bool outermost_;
  std::terminate_handler old_terminate_ = nullptr;
  stack_t old_stack_{};
  struct sigaction old_actions_[std::size(signals_)]{};
};

// Code of others that runs outside of any process: global objects and registration of a plug-in,
// constructors of components. A fault there is reported in the words of its scope. In force while
// it lives; they may be nested.
class ForeignCode {
 public:
  // `says`: the beginning of the message, up to the fault: "plug-in 'a.so': its registration has
  // failed: ". `status`: exit status of the program.
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
