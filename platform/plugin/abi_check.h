// Comparison of a plug-in's ABI stamp with the program's, field by field.
#pragma once

#include <string>

namespace kernbench {

// What differs: a table of every field of both stamps, those that differ marked; "" if none does.
std::string stamp_differences(const std::string& plugin, const std::string& program);

}  // namespace kernbench
