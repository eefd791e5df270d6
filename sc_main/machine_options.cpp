#include "sc_main/machine_options.h"

#include "models/base/errors.h"
#include "platform/assembly/builtin_components.h"
#include "platform/topology/components_file.h"
#include "platform/topology/load_machine.h"
#include "sc_main/config_files.h"

namespace kernbench {
namespace {

// "components:KEY=VALUE" with family "components"; without a prefix the key is topology.yaml's.
std::vector<Override> overrides_of(const std::vector<std::string>& settings, const std::string& family) {
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
      if (of != "topology" && of != "components") {
        throw UsageError("--set '" + setting + "': this command reads no '" + of + "' file; prefixes are topology: and components:");
      }
    }
    if (of == family) overrides.push_back({std::move(key), setting.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  const std::string group = "Machine";
  command.add_option("--topology", topology, "The machine: a file, or the name of a shipped one (kernbench list topologies)")
      ->type_name("F.yaml")
      ->group(group);
  command.add_option("--components", components, "Names of implementations: a file (default: the shipped components.yaml)")
      ->type_name("F.yaml")
      ->group(group);
  command.add_option("--set", set, "Overrides a key of the topology, or with components:KEY of the components file; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
}

std::string MachineOptions::topology_path() const { return find_config(topology, "topology"); }

ComponentRegistry MachineOptions::load_registry() const {
  ComponentRegistry registry;
  register_builtin_components(registry);
  const ComponentsFile file = load_components_file(find_config(components, "components"), overrides_of(set, "components"));
  if (!file.plugins.empty()) throw UsageError("plug-ins are not loaded by this program: '" + file.plugins.front() + "'");
  apply_aliases(file, registry);
  return registry;
}

MachineSpec MachineOptions::load_spec(const ComponentRegistry& registry) const {
  return load_machine(topology_path(), overrides_of(set, "topology"), registry);
}

}  // namespace kernbench
