// The implementations that are compiled in.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

// Registers them all under their `builtin.` names. Called once by whoever creates the registry.
void register_builtin_components(ComponentRegistry& registry);
// Of them, what lies outside the PEs.
void register_fabric_components(ComponentRegistry& registry);

}  // namespace kernbench
