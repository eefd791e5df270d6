#include "sc_main/build_info.h"

#include <fmt/format.h>

#include <systemc>

#include "models/base/version.h"

namespace kernbench {

extern const char* const commit;  // cmake/commit.cmake

std::string version_line() { return "kernbench " KERNBENCH_VERSION; }

std::string version_with_commit() { return fmt::format("{} {}", version_line(), commit); }

std::string version_text() {
#ifdef __clang__
  const std::string compiler = __VERSION__;  // __VERSION__ of Clang includes the compiler's name
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  // sc_version() adds the date on which the library was compiled.
  const std::string systemc = sc_core::sc_version();
  return fmt::format("{}\nSystemC    {}\ncommit     {}\nbuild      {}\ncompiler   {}",
                     version_line(), systemc.substr(systemc.find(' ') + 1), commit, KERNBENCH_BUILD,
                     compiler);
}

}  // namespace kernbench
