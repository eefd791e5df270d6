// Options that choose a machine, and the chosen machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/energy/energy_table.h"
#include "platform/output/result_file.h"
#include "platform/topology/graph.h"
#include "sc_main/catalogue.h"
#include "sc_main/memory_limit.h"
#include "sw/collectives/ccl_settings.h"

namespace CLI {
class App;
}

namespace kernbench {

// Option of commands that simulate: check every connection (docs/contracts).
void add_check_protocol_to(CLI::App& command, bool& check_protocol);
// Option of the same commands: events of the fabric, "runs" or "flits" (spec 2.11).
void add_fabric_to(CLI::App& command, std::string& fabric);
// Option of every command that builds a machine.
void add_max_memory_to(CLI::App& command, std::string& max_memory);

struct MachineOptions {
  std::string topology, components, ccl, energy_table;
  std::vector<std::string> set, plugins;
  std::string max_memory;
  // Configuration files that the command reads.
  std::vector<std::string> families{"topology", "components"};

  void add_to(CLI::App& command);
  void add_with_ccl_to(CLI::App& command);  // for a command that runs collectives
  std::uint64_t memory_bytes() const { return memory_limit(max_memory); }
  void add_components_to(CLI::App& command);  // for a command that reads no topology
  // For a command with the report --energy, after one of the calls above.
  void add_energy_to(CLI::App& command);
  std::string topology_path() const;  // the file that is read
  // All files that are read, including included files and the layout stored next to the topology.
  std::vector<FileInUse> files_in_use() const;

  // Built-in items, those of the plug-ins of components.yaml and --plugin, and the additional names
  // of components.yaml.
  Catalogue load_catalogue() const;
  // Enables the memory limit. UsageError if the machine alone exceeds --max-memory.
  MachineSpec load_spec(const ComponentRegistry& registry) const;
  // Table of --energy; none without it. UsageError: it is configured without the report.
  std::optional<EnergyTable> load_energy(const CLI::App& command) const;
  CclFile load_ccl(const AlgorithmRegistry& algorithms, bool with_tuning_table = true) const;
};

}  // namespace kernbench
