#include "models/tlm/tlm_bridges.h"

namespace kernbench {

void register_tlm_bridges(ComponentRegistry& registry, const ExternalModules& modules) {
  registry.add(tlm_initiator_bridge_implementation(modules));
  registry.add(tlm_target_bridge_implementation(modules));
  for (const auto& [name, module] : modules.declared_initiators())
    registry.add(tlm_initiator_implementation(name, module));
  for (const auto& [name, module] : modules.declared_targets())
    registry.add(tlm_target_implementation(name, module));
}

}  // namespace kernbench
