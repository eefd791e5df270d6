// The end of threads that run users' code: kernels, the host program and its ranks. SystemC ends a
// thread by an exception of a class derived from std::exception, and the process where a program
// swallows it. Programs get ProgramEnded instead, which `catch (const std::exception&)` does not
// take; one that swallows it by `catch (...)` gets it again at its next call that waits.
#pragma once

#include <systemc>

namespace kernbench {

struct ProgramEnded {};

// Notes that the exception being handled, SystemC's, ends the running thread, and throws
// ProgramEnded.
[[noreturn]] void end_program();
// Throws ProgramEnded if the running thread has been ended. Ends the run if the program
// swallows it again and again.
void check_program_ended();
// Where users' code has come to its end, outside all exception handlers: goes on with SystemC's
// exception.
void finish_ended_program();

// `wait` as all waits in calls of users' code.
template <class Wait>
void wait_in_program(const Wait& wait) {
  check_program_ended();
  try {
    wait();
  } catch (const sc_core::sc_unwind_exception&) {
    end_program();
  }
}

}  // namespace kernbench
