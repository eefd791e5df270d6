// Files that a command writes: results, and next to each its configuration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/config/machine_spec.h"
#include "platform/output/result_file.h"
#include "sc_main/catalogue.h"
#include "sc_main/command.h"

namespace kernbench {

// Simulated configuration as a topology.yaml, whose first lines state version, command line and
// `facts` (name, value).
std::string configuration_text(const Invocation& invocation,
                               const std::vector<std::pair<std::string, std::string>>& facts,
                               const std::string& resolved);
// The same for a machine; the plug-ins of the catalogue are the last fact.
std::string configuration_text(const Invocation& invocation,
                               std::vector<std::pair<std::string, std::string>> facts,
                               const MachineSpec& machine, const Catalogue& catalogue);

// Creates the folder of --out, and those above it; "": none. UsageError.
void create_folder(const std::string& folder);

}  // namespace kernbench
