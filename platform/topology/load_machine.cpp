#include "platform/topology/load_machine.h"

#include <algorithm>
#include <tuple>

#include "platform/config/machine_keys.h"
#include "platform/config/machine_reader.h"
#include "platform/config/machine_sizes.h"

namespace kernbench {

MachineSpec load_machine(const std::string& path, const std::vector<Override>& overrides,
                         const ComponentRegistry& registry) {
  std::vector<ConfigIssue> issues;
  ConfigNode root = load_config_tree(path, issues);
  if (root.kind != ConfigNode::Kind::map)
    throw ConfigError(std::move(issues));  // nothing was read: overrides would mislead
  for (const Override& override : overrides) apply_override(root, override, issues);

  const ResolvedConfig config = check_config(root, machine_schema(), &registry, issues);
  MachineSpec machine = read_machine(config);
  MachineFaults faults(machine, config, issues);
  check_machine(machine, faults);
  check_layout(machine, faults);
  resolve_components(machine, faults);
  check_sizes(machine, faults);
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
