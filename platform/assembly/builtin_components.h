// Registration of the built-in component implementations.
#pragma once

#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

// Registers all of them under their `builtin.` names; called once by the owner of the registry.
// `modules`: the plain TLM-2.0 modules that the bridges can bind in.
void register_builtin_components(ComponentRegistry& registry, const ExternalModules& modules = {});
// Registers only those outside the PEs.
void register_fabric_components(ComponentRegistry& registry);

}  // namespace kernbench
