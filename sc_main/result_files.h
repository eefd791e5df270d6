// The files that a command writes: results, and beside each the configuration it came from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/report/result_file.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"

namespace kernbench {

// What was simulated, as a topology.yaml whose first lines say how: version, command line and
// `facts` (name, value).
std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved);

// Throws UsageError where writing one of the results, or its companion, would overwrite another, a
// file in use, or what standard output or error are redirected to, by whatever names and links. Of
// what is written to but not kept, /dev/null takes any number of results, a pipe or a terminal one.
// Empty names are files that were not asked for.
void check_result_files(const std::vector<FileInUse>& in_use,
                        const std::vector<std::string>& results);

// A result without a companion, whole.
void write_result(const std::string& path, const std::string& text);

// Opens a result and writes its companion F.config.yaml; a device or a pipe has none.
ResultFile open_result(const std::string& path, const std::string& configuration);

}  // namespace kernbench
