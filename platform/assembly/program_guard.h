// Guard of a run against user programs that would end the process: kernels and benches that access
// invalid memory, overrun their stack, divide by zero, abort, terminate, exit, or stop the
// simulation (spec 4.2).
//
// Such a program is parked: its thread waits for ever where it stands, in a signal handler or in
// the call, and is never unwound. The scheduler goes on to the end of the delta, and the run ends
// as any that has failed, with its files. A fault inside the C library leaves its heap damaged or
// locked: what is left to do goes on with another one (spare_heap.h). From then on another fault,
// 30 s without an end of the process, or 5 s in which it does nothing, end it with the message
// alone. An SC_METHOD cannot be parked: a fault there ends the process with the message, as one
// outside of any process does (fault_guard.h).
#pragma once

#include "platform/assembly/fault_guard.h"

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
  // Keeps the first fault.
  static void note_fault(const char* what);
  // Parks the running thread. fail(): at fault, with `what` as the fault; hold(): not at fault, but
  // to end.
  [[noreturn]] static void park();
  [[noreturn]] static void fail(const char* what);
  [[noreturn]] static void hold(const ProgramReport& report);
  // In an SC_METHOD: the run has failed, the method goes on.
  static void note(const char* what);
  // Ends the process with the report of the program that is parked.
  [[noreturn]] static void give_up();

 private:
  FaultGuard faults_;
};

}  // namespace kernbench
