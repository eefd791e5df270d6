// topology.yaml -> MachineSpec.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/config_tree.h"
#include "platform/config/machine_faults.h"

namespace kernbench {

// Reads the file and its includes, applies the overrides in order, checks everything and resolves
// every default. All faults are reported together in one ConfigError.
MachineSpec load_machine(const std::string& path, const std::vector<Override>& overrides,
                         const ComponentRegistry& registry);

// Faults of the file and of single overrides: unknown keys, values of a wrong type or out of range.
// Contradictions between keys are not among them.
std::vector<ConfigIssue> setting_issues(const std::string& path,
                                        const std::vector<Override>& overrides,
                                        const ComponentRegistry& registry);

// Checks that need the layout of the cube and the names of nodes.
void check_layout(const MachineSpec& machine, MachineFaults& faults);

// Assigns ranges to TLM-2.0 targets without one, and checks the ranges of all.
void place_tlm_targets(MachineSpec& machine, MachineFaults& faults);
// SIP whose window contains the range: that of the node that it is attached to; 0 for the switch.
int sip_of_tlm_target(const TlmTargetSpec& target);

}  // namespace kernbench
