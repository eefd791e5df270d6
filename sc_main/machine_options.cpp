#include "sc_main/machine_options.h"

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/topology/components_file.h"
#include "platform/topology/load_machine.h"
#include "sc_main/config_files.h"

namespace kernbench {
namespace {

// "components:KEY=VALUE" with family "components"; without a prefix the key is topology.yaml's.
std::vector<Override> overrides_of(const std::vector<std::string>& settings, const std::string& family, bool with_topology) {
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
    if (of != "components" && (of != "topology" || !with_topology)) {
      throw UsageError("--set '" + setting + "': this command reads no '" + of + "' file; " +
                       (with_topology ? "prefixes are topology: and components:" : "the prefix is components:"));
    }
    if (of == family) overrides.push_back({std::move(key), setting.substr(equals + 1)});
  }
  return overrides;
}

constexpr const char* group = "Machine";

void add_files_of_components(CLI::App& command, MachineOptions& options, const char* set) {
  command.add_option("--components", options.components, "Names of implementations: a file (default: the shipped components.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  command.add_option("--set", options.set, set)->type_name("KEY=VALUE")->allow_extra_args(false)->group(group);
}

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  command.add_option("--topology", topology, "The machine: a file, or the name of a shipped one (kernbench list topologies)")
      ->type_name("F.yaml")
      ->group(group);
  add_files_of_components(command, *this,
                          "Overrides a key of the topology, or with components:KEY of the components file; repeatable");
}

void MachineOptions::add_components_to(CLI::App& command) {
  with_topology = false;
  add_files_of_components(command, *this, "Overrides a key of the components file, as components:KEY; repeatable");
}

std::string MachineOptions::topology_path() const { return find_config(topology, "topology"); }

ComponentRegistry MachineOptions::load_registry() const {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const ComponentsFile file =
      load_components_file(find_config(components, "components"), overrides_of(set, "components", with_topology));
  if (!file.plugins.empty()) throw UsageError("plug-ins are not loaded by this program: '" + file.plugins.front() + "'");
  apply_aliases(file, registry);
  return registry;
}

MachineSpec MachineOptions::load_spec(const ComponentRegistry& registry) const {
  return load_machine(topology_path(), overrides_of(set, "topology", with_topology), registry);
}

}  // namespace kernbench
