// The ABI stamp of a shared library, read from its file: nothing of the library is loaded or run.
#pragma once

#include <string>

namespace kernbench {

// The text of its note (models/base/abi_stamp.h). UsageError that names the file: not readable, no
// ELF shared library, for another machine, cut short, or without a stamp.
std::string stamp_in_file(const std::string& file);

}  // namespace kernbench
