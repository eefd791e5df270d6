// Reader of one axis of a plan.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_tree.h"
#include "platform/sweep/sweep_plan.h"

namespace kernbench {

// Axis from its entry: a list of values, or a section with a range or a list and the keys that it
// sets. Kinds of the keys are left to the caller. `sampled`: a range without steps is drawn from.
// Faults are added to `issues`.
PlanAxis read_axis(const ConfigEntry& entry, bool sampled, std::vector<ConfigIssue>& issues);

// Value on one line, as --set accepts it: "64", "[0, 1]", "{x: 1}".
std::string flow_text(const ConfigNode& node);

}  // namespace kernbench
