// Where the time of kernels on their PEs goes, in the reports of `run` and of `inspect`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/observe/pe_time.h"

namespace kernbench {

// A table behind an empty line, without columns in which no kernel has anything; nothing without
// kernels.
std::string pe_time_text(const std::vector<KernelPeTime>& kernels);
nlohmann::ordered_json pe_time_json(const std::vector<KernelPeTime>& kernels);

}  // namespace kernbench
