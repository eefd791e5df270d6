// One-line report of a fault and its place, built where nothing can be allocated (signal handlers).
#pragma once

#include <optional>
#include <systemc>

#include "models/protocol/program_host.h"
#include "platform/assembly/fixed_text.h"

namespace kernbench {

// Process that runs; none between two. While a machine is elaborated SystemC names the process that
// was made last, which does not run.
sc_core::sc_process_handle running_process();

// Program host of a thread; null for other processes. Program of the current process.
const ProgramHost* program_host_of(const sc_core::sc_process_handle& process);
std::optional<RunningProgram> current_program();

class ProgramReport {
 public:
  // "sip0.cube0.pe0.pe_cpu at 12.5 ns: kernel 'k' WHAT; last call: tl.load"; without a program the
  // component at work or the process that runs, "the simulation" between two; before that the
  // foreign code, or the module that is elaborated. `subject` stands before `what` unless there is
  // a program.
  void describe(const char* what, const char* subject = "it ");
  // Of a thread that is not the simulation's.
  void describe_beside(const char* what);
  const char* text() const { return text_.c_str(); }
  void print() const;  // as an error of the program, on standard error

 private:
  FixedText text_;
};

}  // namespace kernbench
