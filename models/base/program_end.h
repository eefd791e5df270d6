// ProgramEnded: termination of threads that run user code (kernels, the host program, its ranks).
// SystemC kills a thread by sc_unwind_exception, which derives from std::exception, and aborts the
// process if user code swallows it. In these threads it becomes ProgramEnded, which
// `catch (const std::exception&)` does not catch; if `catch (...)` swallows it, the next call that
// blocks throws it again.
#pragma once

#include <string>
#include <systemc>

namespace kernbench {

struct ProgramEnded {};

// Marks the running thread as one that runs user code. The thread calls finish_ended_program() when
// the user code has returned.
void begin_program();
// Rethrows SystemC's exception if the running thread has been killed. Do not call it from an
// exception handler.
void finish_ended_program();

// Sets the reason why threads are killed, for the error that names a thread that does not end; ""
// for the end of the run.
void set_end_cause(const std::string& cause);
// Reports that user code has repeatedly swallowed the end of its thread, or of its kernel. The
// error cannot propagate: std::terminate(), which reports it with the program's name.
[[noreturn]] void end_is_swallowed(const std::string& cause) noexcept;
constexpr int swallowed_at_most = 1000;

// Throws ProgramEnded if the running thread has been killed. Ends the run with an error if user
// code swallows it repeatedly.
void check_program_ended();
// Call in the handler of sc_unwind_exception: throws ProgramEnded in threads that run user code,
// else rethrows.
[[noreturn]] void end_program();

// Calls `wait`, which blocks by sc_core::wait.
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
