// topology.yaml -> MachineSpec.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/topology/config_tree.h"
#include "platform/topology/machine_spec.h"

namespace kernbench {

// Reads the file and what it includes, applies the overrides in order, checks everything and
// resolves every default. All faults are reported together in one ConfigError.
MachineSpec load_machine(const std::string& path, const std::vector<Override>& overrides,
                         const ComponentRegistry& registry);

}  // namespace kernbench
