// The files that a command writes: results, and beside each the configuration it came from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/output/result_file.h"
#include "sc_main/command.h"

namespace kernbench {

// What was simulated, as a topology.yaml whose first lines say how: version, command line and
// `facts` (name, value).
std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved);

}  // namespace kernbench
