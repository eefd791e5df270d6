// Bridges to plain TLM-2.0 modules as implementations, "builtin.tlm_initiator_bridge" and
// "builtin.tlm_target_bridge", and every module behind its bridge under a name of its own.
#pragma once

#include "models/base/component_registry.h"
#include "models/tlm/external_modules.h"

namespace kernbench {

// `modules`: modules that the bridges can bind; they outlive the machine.
void register_tlm_bridges(ComponentRegistry& registry, const ExternalModules& modules);

// Defined in the source of each bridge.
Implementation tlm_initiator_bridge_implementation(const ExternalModules& modules);
Implementation tlm_target_bridge_implementation(const ExternalModules& modules);

// Implementation of one module behind its bridge, under the module's name.
Implementation tlm_initiator_implementation(
    const std::string& name,
    const ExternalModules::Declared<ExternalModules::MakeInitiatorOf>& module);
Implementation tlm_target_implementation(
    const std::string& name,
    const ExternalModules::Declared<ExternalModules::MakeTargetOf>& module);

}  // namespace kernbench
