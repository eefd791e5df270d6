// ABI stamp of a plug-in (models/base/abi_stamp.h): read from its file without loading or running
// the library, and compared with the program's.
#pragma once

#include <string>

namespace kernbench {

// Returns the text of the stamp's note (models/base/abi_stamp.h). Throws UsageError that names the
// file if it is unreadable, no ELF shared library, for another machine, truncated, or without a
// stamp.
std::string stamp_in_file(const std::string& file);

// Table of all fields of both stamps with differences marked; "" if none differs.
std::string stamp_differences(const std::string& plugin, const std::string& program);

}  // namespace kernbench
