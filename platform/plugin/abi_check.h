// The ABI stamp of a plug-in (models/base/abi_stamp.h): read from its file, where nothing of the
// library is loaded or run, and compared with the program's.
#pragma once

#include <string>

namespace kernbench {

// The text of its note (models/base/abi_stamp.h). UsageError that names the file: not readable, no
// ELF shared library, for another machine, cut short, or without a stamp.
std::string stamp_in_file(const std::string& file);

// Table of every field of both stamps, those that differ marked; "" if none does.
std::string stamp_differences(const std::string& plugin, const std::string& program);

}  // namespace kernbench
