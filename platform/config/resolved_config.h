// The machine as it was simulated, every default resolved, as a topology.yaml that gives the same
// machine again.
#pragma once

#include <string>

#include "models/base/component_registry.h"
#include "platform/config/machine_spec.h"

namespace kernbench {

// Attributes that the topology fills in (flit size, link rates) stand in comments: they cannot be
// set. Other names of implementations (components.yaml) are written as what they stand for.
std::string resolved_config(MachineSpec spec, const ComponentRegistry& registry);

}  // namespace kernbench
