// The commands of the program: each adds itself to the command line and, if named there, sets its
// action.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/base/errors.h"

namespace CLI {
class App;
}

namespace kernbench {

struct Invocation {
  std::vector<std::string> words;  // the command line
  std::function<int()> action;     // of the command that was named; returns the exit status

  std::string line() const;  // the words, quoted where a shell needs it
};

void add_run_command(CLI::App& app, Invocation& invocation);
void add_list_command(CLI::App& app, Invocation& invocation);
void add_topology_command(CLI::App& app, Invocation& invocation);
void add_placement_command(CLI::App& app, Invocation& invocation);
void add_traffic_command(CLI::App& app, Invocation& invocation);
void add_route_command(CLI::App& app, Invocation& invocation);
void add_probe_command(CLI::App& app, Invocation& invocation);
void add_validate_command(CLI::App& app, Invocation& invocation);
void add_tune_collectives_command(CLI::App& app, Invocation& invocation);
void add_rtl_compare_command(CLI::App& app, Invocation& invocation);
void add_inspect_command(CLI::App& app, Invocation& invocation);
void add_new_component_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);

}  // namespace kernbench
