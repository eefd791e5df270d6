// The built program as a subprocess.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace kernbench::test {

struct ProgramResult {
  int status = -1;  // exit status; 128 + signal if one ended it
  std::string out, err;
  double wall_s = 0;
};

// Runs `kernbench ARGUMENTS...`, or another program; standard input is empty. A `signal` is sent
// `after_ms` later. `out_path`: where standard output goes instead of into the result.
ProgramResult kernbench_program(const std::vector<std::string>& arguments, int signal = 0,
                                int after_ms = 0, const char* out_path = nullptr,
                                const char* program = KERNBENCH_PROGRAM);
// The signal is sent when `file` holds something.
ProgramResult kernbench_program_signalled(const std::vector<std::string>& arguments, int signal,
                                          const std::string& file);
// With a limit of the operating system (RLIMIT_AS, ...), under the identity of a user that is
// nobody's where `as_nobody`.
ProgramResult kernbench_program_limited(const std::vector<std::string>& arguments, int resource,
                                        unsigned long limit, bool as_nobody = false);

}  // namespace kernbench::test
