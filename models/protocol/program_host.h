// Who runs the code of users on threads of its own: kernels, benches. For reports about what went
// wrong there.
#pragma once

#include <cstdint>
#include <optional>

namespace kernbench {

// Texts live as long as the program runs: they are read where nothing can be allocated.
struct RunningProgram {
  const char* kind = "";  // "kernel", "bench"
  const char* name = "";
  const char* api = "";        // what its calls begin with: "tl."
  const char* last_call = "";  // the latest, without that; empty: none yet
  std::uint64_t stack_bytes = 0;
  const char* stack_key = "";  // the attribute that sets it; empty: nothing does
};

// Implemented by the parent object of the threads.
class ProgramHost {
 public:
  // What the current process runs, if it is one of these threads, else what any of them runs. None:
  // nothing.
  virtual std::optional<RunningProgram> running_program() const = 0;

 protected:
  ~ProgramHost() = default;
};

}  // namespace kernbench
