// Runs started from the page of `kernbench web`: forms of the benches, and requests as commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_main/catalogue.h"
#include "sc_main/machine_options.h"

namespace kernbench {

// {"benches": [{"name", "description", "parameters": [{"name", "type", "default", "choices",
// "least", "most", "step", ..}]}], "topologies": [..]}. Parameters as in `list --json`, with their
// type, choices and bounds; null: unbounded. Numbers outside the bounds can be allowed (0:
// unlimited), so the text "allowed" decides.
nlohmann::ordered_json bench_forms(const Catalogue& catalogue, const MachineOptions& machine);

// Keys that --set takes with a topology of bench_forms() ("": the first): those with `text` in
// their names, at the start first, else the nearest one: {"keys": [{"key", "value", "unit",
// "allowed", "choices", "description"}], "key_count"}. UsageError: another topology.
nlohmann::ordered_json key_list(const std::string& topology, const std::string& text,
                                std::size_t most, const Catalogue& catalogue,
                                const MachineOptions& machine);

struct RunRequest {
  std::vector<std::string> words;                 // "run", "--bench", ...
  std::string title, command;                     // command: the line that a user would type
  std::vector<std::string> parameters, settings;  // "KEY=VALUE"

  // Field of the form that a message is about: a parameter, "set"; "": none in particular.
  std::string field_of(const std::string& fault) const;
};

// Request {"bench", "parameters": {..}, "set": [..], "topology"} as a command. UsageError: another
// form, an unknown bench, or the name of a file, which only the command line can give. Values are
// checked by the command itself.
RunRequest run_request(const std::string& body, const Catalogue& catalogue,
                       const MachineOptions& machine);

}  // namespace kernbench
