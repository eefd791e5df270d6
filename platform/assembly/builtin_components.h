// Registration of the built-in component implementations.
#pragma once

#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

// Registers all built-in implementations under their `builtin.` names. Called once by the owner of
// the registry. `modules`: plain TLM-2.0 modules that bridges can bind.
void register_builtin_components(ComponentRegistry& registry, const ExternalModules& modules = {});
// Registers only the implementations outside the PEs.
void register_fabric_components(ComponentRegistry& registry);

}  // namespace kernbench
