// Version and build of this program, for --version and for the files next to results.
#pragma once

#include <string>

namespace kernbench {

std::string version_line();         // "kernbench 0.5.0"
std::string version_with_commit();  // "kernbench 0.5.0 6da6404ebd00"
std::string version_text();         // with SystemC, build type and compiler, one per line

}  // namespace kernbench
