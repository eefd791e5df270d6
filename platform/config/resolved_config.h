// Simulated machine with every default resolved, as a topology.yaml that reproduces it.
#pragma once

#include <string>

#include "models/base/component_registry.h"
#include "platform/config/machine_spec.h"

namespace kernbench {

// Attributes that the topology fills in (flit size, link rates) are written as comments: they
// cannot be set. Aliases of implementations (components.yaml) are written as the implementation
// they name.
std::string resolved_config(MachineSpec spec, const ComponentRegistry& registry);

}  // namespace kernbench
