// Interface of a component that runs user code (kernels, benches) on threads of its own. For
// reports of faults in that code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/call_site.h"

namespace kernbench {

// Texts live as long as the program runs: they are read where no memory can be allocated.
struct RunningProgram {
  const char* kind = "";  // "kernel", "bench"
  const char* name = "";
  const char* api = "";        // prefix of its calls: "tl."
  const char* last_call = "";  // latest call, without the prefix; empty: none yet
  CallSite call_site = {};     // site of that call
  std::uint64_t stack_bytes = 0;
  const char* stack_key = "";  // attribute that sets the stack size; empty: none
};

// Implemented by the parent object of the threads.
class ProgramHost {
 public:
  // Program of the current process, if it is one of these threads, else of any of them. nullopt: no
  // program runs.
  virtual std::optional<RunningProgram> running_program() const = 0;
  virtual std::vector<RunningProgram> running_programs() const = 0;

 protected:
  ~ProgramHost() = default;
};

}  // namespace kernbench
