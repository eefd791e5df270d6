// The implementations that are compiled in.
#pragma once

#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

// Registers them all under their `builtin.` names. Called once by whoever creates the registry.
// `modules`: the plain TLM-2.0 modules that the bridges can bind in.
void register_builtin_components(ComponentRegistry& registry, const ExternalModules& modules = {});
// Of them, what lies outside the PEs.
void register_fabric_components(ComponentRegistry& registry);
void register_tlm_bridges(ComponentRegistry& registry, const ExternalModules& modules);

}  // namespace kernbench
