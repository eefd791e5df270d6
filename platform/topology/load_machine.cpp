#include "platform/topology/load_machine.h"

#include <algorithm>
#include <tuple>

#include "platform/config/instance_setting.h"
#include "platform/config/machine_keys.h"
#include "platform/config/machine_reader.h"
#include "platform/config/machine_sizes.h"
#include "platform/topology/instance_overrides.h"

namespace kernbench {

MachineSpec load_machine(const std::string& path, const std::vector<Override>& overrides,
                         const ComponentRegistry& registry) {
  std::vector<ConfigIssue> issues;
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map)
    throw ConfigError(std::move(issues));  // nothing was read: overrides would mislead
  for (const Override& override : overrides) {
    if (is_instance_setting(override)) {
      apply_instance_setting(root, override, issues);
    } else {
      apply_override(root, override, issues);
    }
  }

  const ResolvedConfig config = check_config(root, machine_schema(), &registry, issues);
  MachineSpec machine = read_machine(config);
  MachineFaults faults(machine, config, issues);
  check_machine(machine, faults);
  check_layout(machine, faults);
  resolve_components(machine, faults);
  check_sizes(machine, faults);
  place_tlm_targets(machine, faults);
  apply_overrides(machine, registry, faults);
  if (!issues.empty()) {
    std::stable_sort(issues.begin(), issues.end(), [](const ConfigIssue& a, const ConfigIssue& b) {
      return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
    });
    throw ConfigError(std::move(issues));
  }
  machine.source_path = path;
  return machine;
}

}  // namespace kernbench
