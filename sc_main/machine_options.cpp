#include "sc_main/machine_options.h"

#include <algorithm>

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/topology/components_file.h"
#include "platform/topology/config_tree.h"
#include "platform/topology/cube_mesh_file.h"
#include "platform/topology/load_machine.h"
#include "sc_main/ccl_file.h"
#include "sc_main/config_files.h"

namespace kernbench {
namespace {

// Of the given settings those of `family`, whose keys have it as a prefix: "components:KEY=VALUE". Without a prefix the key is
// topology.yaml's. `families`: what the command reads.
std::vector<Override> overrides_of(const std::vector<std::string>& settings, const std::string& family,
                                   const std::vector<std::string>& families) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set '" + setting + "' is not KEY=VALUE, e.g. --set system.sips.count=1");
    }
    std::string key = setting.substr(0, equals);
    std::string of = "topology";
    if (const std::size_t colon = key.find(':'); colon != std::string::npos) {
      of = key.substr(0, colon);
      key.erase(0, colon + 1);
    }
    if (std::find(families.begin(), families.end(), of) == families.end()) {
      std::string prefixes;
      for (const std::string& each : families)
        prefixes += (prefixes.empty() ? "" : each == families.back() ? " and " : ", ") + each + ":";
      throw UsageError("--set '" + setting + "': this command reads no '" + of + "' file; " +
                       (families.size() == 1 ? "the prefix is " : "prefixes are ") + prefixes);
    }
    if (of == family) overrides.push_back({std::move(key), setting.substr(equals + 1), of == "topology" ? "" : of + ":"});
  }
  return overrides;
}

constexpr const char* group = "Machine";

void add_topology(CLI::App& command, MachineOptions& options) {
  command
      .add_option("--topology", options.topology, "The machine: a file, or the name of a shipped one (kernbench list topologies)")
      ->type_name("F.yaml")
      ->group(group);
}

void add_files_of_components(CLI::App& command, MachineOptions& options, const char* set) {
  command.add_option("--components", options.components, "Names of implementations: a file (default: the shipped components.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  command.add_option("--set", options.set, set)->type_name("KEY=VALUE")->allow_extra_args(false)->group(group);
}

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  add_topology(command, *this);
  add_files_of_components(command, *this,
                          "Overrides a key of the topology, or with components:KEY of the components file; repeatable");
}

void MachineOptions::add_with_ccl_to(CLI::App& command) {
  families.emplace_back("ccl");
  add_topology(command, *this);
  command.add_option("--ccl", ccl, "The collectives: a file (default: the shipped ccl.yaml)")->type_name("F.yaml")->group(group);
  add_files_of_components(command, *this,
                          "Overrides a key of the topology, or with ccl:KEY, components:KEY of those files; repeatable");
}

void MachineOptions::add_components_to(CLI::App& command) {
  families = {"components"};
  add_files_of_components(command, *this, "Overrides a key of the components file, as components:KEY; repeatable");
}

CclFile MachineOptions::load_ccl() const {
  return load_ccl_file(find_config(ccl, "ccl"), overrides_of(set, "ccl", families), shipped_algorithms());
}

std::string MachineOptions::topology_path() const { return find_config(topology, "topology"); }

std::vector<FileInUse> MachineOptions::files_in_use() const {
  std::vector<FileInUse> files;
  const auto reads = [&files](const std::string& path) {
    for (const std::string& file : files_of_config(path)) files.push_back({file, "the input"});
  };
  reads(topology_path());
  files.push_back({mesh_file_beside(topology_path()), "the layout of a cube,"});
  reads(find_config(components, "components"));
  if (std::find(families.begin(), families.end(), "ccl") != families.end()) reads(find_config(ccl, "ccl"));
  return files;
}

ComponentRegistry MachineOptions::load_registry() const {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const ComponentsFile file =
      load_components_file(find_config(components, "components"), overrides_of(set, "components", families));
  if (!file.plugins.empty()) throw UsageError("plug-ins are not loaded by this program: '" + file.plugins.front() + "'");
  apply_aliases(file, registry);
  return registry;
}

MachineSpec MachineOptions::load_spec(const ComponentRegistry& registry) const {
  return load_machine(topology_path(), overrides_of(set, "topology", families), registry);
}

}  // namespace kernbench
