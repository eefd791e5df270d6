// One-line report of the current activity of user code and its place, built where nothing can be
// allocated (signal handlers).
#pragma once

#include <optional>
#include <systemc>

#include "models/protocol/program_host.h"

namespace kernbench {

// Program host of a thread; null for other processes. Program of the current process.
const ProgramHost* program_host_of(const sc_core::sc_process_handle& process);
std::optional<RunningProgram> current_program();

class ProgramReport {
 public:
  // "sip0.cube0.pe0.pe_cpu at 12.5 ns: kernel 'k' WHAT; last call: tl.load"; without a program the
  // process that runs, "the simulation" between two.
  void describe(const char* what);
  const char* text() const { return text_; }
  bool empty() const { return text_[0] == '\0'; }
  void clear() { text_[0] = '\0'; }
  void print() const;  // as an error of the program, on standard error

 private:
  char text_[1024] = "";
};

}  // namespace kernbench
