// The files that a command writes: results, and beside each the configuration it came from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/report/file_conflicts.h"
#include "platform/report/result_file.h"
#include "sc_main/command.h"

namespace kernbench {

// What was simulated, as a topology.yaml whose first lines say how: version, command line and
// `facts` (name, value).
std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved);

// A result without a companion, whole.
void write_result(const std::string& path, const std::string& text);

// Opens a result and writes its companion F.config.yaml; a device or a pipe has none.
ResultFile open_result(const std::string& path, const std::string& configuration);

}  // namespace kernbench
