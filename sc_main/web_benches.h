// Runs started from the page of `kernbench web`: forms of the benches, and requests as commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_main/catalogue.h"
#include "sc_main/machine_options.h"

namespace kernbench {

// {"benches": [{"name", "description", "parameters": [{"name", "type", "default", "choices",
// ..}]}], "topologies": [..]}. Parameters as in `list --json`, with their type and choices.
nlohmann::ordered_json bench_forms(const Catalogue& catalogue, const MachineOptions& machine);

struct RunRequest {
  std::vector<std::string> words;  // "run", "--bench", ...
  std::string title, command;      // command: the line that a user would type
};

// Request {"bench", "parameters": {..}, "set": [..], "topology"} as a command. UsageError: another
// form, an unknown bench, or the name of a file, which only the command line can give. Values are
// checked by the command itself.
RunRequest run_request(const std::string& body, const Catalogue& catalogue,
                       const MachineOptions& machine);

}  // namespace kernbench
