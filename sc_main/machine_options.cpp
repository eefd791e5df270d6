#include "sc_main/machine_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/components_file.h"
#include "platform/config/config_tree.h"
#include "platform/config/shipped_files.h"
#include "platform/topology/cube_mesh.h"
#include "platform/topology/load_machine.h"
#include "platform/topology/machine_memory.h"
#include "sc_main/ccl_file.h"
#include "sc_main/completion.h"

namespace kernbench {
namespace {

constexpr const char* group = "Machine";

// topology.tiny.yaml is also named tiny.
Candidates topology_candidates(const std::string& /*typed*/) {
  const std::string family = "topology.", extension = ".yaml";
  Candidates candidates;
  for (const std::string& file : shipped_files("topology")) {
    const bool is_default = file.size() <= family.size() + extension.size();
    candidates.push_back(
        {is_default ? file
                    : file.substr(family.size(), file.size() - family.size() - extension.size())});
  }
  return candidates;
}

void add_topology(CLI::App& command, MachineOptions& options) {
  completes(
      command
          .add_option("--topology", options.topology,
                      "Machine: a file, or the name of a shipped one (kernbench list topologies)")
          ->type_name("F.yaml")
          ->group(group),
      &topology_candidates);
}

void add_files_of_components(CLI::App& command, MachineOptions& options, const char* set) {
  command
      .add_option("--components", options.components,
                  "Names of implementations: a file (default: the shipped components.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  command
      .add_option("--plugin", options.plugins,
                  "Shared library with components, TLM-2.0 modules, benches or algorithms of "
                  "collectives (docs/write-a-plugin.md); repeatable")
      ->type_name("F.so")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--set", options.set, set)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
}

// Memory of a run in addition to its machine is checked when it runs.
void check_memory(const MachineSpec& spec, std::uint64_t most_bytes) {
  MachineMemory memory;
  try {
    memory = machine_memory(spec);
  } catch (const std::overflow_error&) {  // lengths that overflow: build_graph reports them
    return;
  }
  constexpr std::uint64_t takes_a_while = std::uint64_t{1} << 30;  // ten seconds and more
  if (memory.bytes() <= most_bytes) {
    if (memory.bytes() > takes_a_while && ::isatty(STDERR_FILENO) != 0)
      std::cerr << "kernbench: building a machine of " << memory.str() << ", about "
                << size_text(memory.bytes()) << '\n';
    return;
  }
  throw UsageError(fmt::format(
      "this machine needs about {} of memory: {}; --max-memory is {}, and the host has {}",
      size_text(memory.bytes()), memory.str(), size_text(most_bytes),
      size_text(host_memory_bytes())));
}

}  // namespace

void add_check_protocol_to(CLI::App& command, bool& check_protocol) {
  command
      .add_flag("--check-protocol", check_protocol,
                "Monitor every connection between two components: the first protocol violation "
                "ends the run with a report of the component and its call; a deadlock report lists "
                "the holders of resources (costs time and memory)")
      ->envname("KERNBENCH_CHECK_PROTOCOL");
}

void add_fabric_to(CLI::App& command, std::string& fabric) {
  command
      .add_option("--fabric", fabric,
                  "Events of the fabric: one for a run of flits at a node where no other stream "
                  "interferes, or one for each flit; the results are the same")
      ->check(CLI::IsMember({"runs", "flits"}))
      ->type_name("MODE")
      ->capture_default_str();
}

void add_max_memory_to(CLI::App& command, std::string& max_memory) {
  command
      .add_option(
          "--max-memory", max_memory,
          "Memory limit of the program, e.g. 8G; a machine that needs more is refused, a run that "
          "exceeds it ends with a message. Default: three quarters of the host's memory")
      ->type_name("SIZE")
      ->group(group);
}

void MachineOptions::add_to(CLI::App& command) {
  add_topology(command, *this);
  add_files_of_components(
      command, *this,
      "Override a key of the topology, or with components:KEY of the components file; repeatable");
  add_max_memory_to(command, max_memory);
}

void MachineOptions::add_with_ccl_to(CLI::App& command) {
  families.emplace_back("ccl");
  add_topology(command, *this);
  command
      .add_option("--ccl", ccl,
                  "Configuration of collectives: a file (default: the shipped ccl.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  add_files_of_components(
      command, *this,
      "Override a key of the topology, or with ccl:KEY, components:KEY of those files; repeatable");
  add_max_memory_to(command, max_memory);
}

void MachineOptions::add_energy_to(CLI::App& command) {
  families.emplace_back("energy");
  command
      .add_option("--energy-table", energy_table,
                  "Energy of actions and static power, for --energy: a file (default: the shipped "
                  "energy.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  command.get_option("--set")->description(fmt::format(
      "Override a key of the topology, or with {}:KEY of those files; repeatable",
      fmt::join(std::vector<std::string>(families.begin() + 1, families.end()), ":KEY, ")));
}

std::optional<EnergyTable> MachineOptions::load_energy(const CLI::App& command) const {
  const std::vector<Override> overrides = overrides_of(set, "energy", families);
  if (command.count("--energy") > 0)
    return load_energy_table(find_config(energy_table, "energy"), overrides);
  if (!energy_table.empty() || !overrides.empty())
    throw UsageError(fmt::format("{} goes with --energy",
                                 energy_table.empty() ? "--set energy:KEY" : "--energy-table"));
  return std::nullopt;
}

void MachineOptions::add_components_to(CLI::App& command) {
  families = {"components"};
  add_files_of_components(command, *this,
                          "Override a key of the components file, as components:KEY; repeatable");
}

CclFile MachineOptions::load_ccl(const AlgorithmRegistry& algorithms,
                                 bool with_tuning_table) const {
  return load_ccl_file(find_config(ccl, "ccl"), overrides_of(set, "ccl", families), algorithms,
                       with_tuning_table);
}

std::string MachineOptions::topology_path() const { return find_config(topology, "topology"); }

std::vector<FileInUse> MachineOptions::files_in_use() const {
  std::vector<FileInUse> files;
  const auto reads = [&files](const std::string& path) {
    for (const std::string& file : files_of_config(path)) files.push_back({file, "the input"});
  };
  reads(topology_path());
  files.push_back({mesh_file_next_to(topology_path()), "the layout of a cube,"});
  reads(find_config(components, "components"));
  for (const std::string& plugin : plugins) files.push_back({plugin, "the plug-in"});
  if (std::find(families.begin(), families.end(), "ccl") != families.end())
    reads(find_config(ccl, "ccl"));
  if (std::find(families.begin(), families.end(), "energy") != families.end())
    reads(find_config(energy_table, "energy"));
  return files;
}

Catalogue MachineOptions::load_catalogue() const {
  const ComponentsFile file = load_components_file(find_config(components, "components"),
                                                   overrides_of(set, "components", families));
  std::vector<PluginFile> files;
  for (std::size_t i = 0; i < file.plugins.size(); ++i)
    files.push_back({file.plugins[i], fmt::format("{}: plugins.{}: ", file.plugin_places[i], i)});
  for (const std::string& path : plugins) files.push_back({path, ""});
  Catalogue catalogue(files);
  apply_aliases(file, catalogue.components);
  return catalogue;
}

MachineSpec MachineOptions::load_spec(const ComponentRegistry& registry) const {
  const std::uint64_t most_bytes = memory_bytes();
  guard_memory(most_bytes);
  MachineSpec spec =
      load_machine(topology_path(), overrides_of(set, "topology", families), registry);
  check_memory(spec, most_bytes);
  return spec;
}

}  // namespace kernbench
