#include "models/tlm/tlm_bridges.h"

namespace kernbench {

void register_tlm_bridges(ComponentRegistry& registry, const ExternalModules& modules) {
  registry.add(tlm_initiator_bridge_implementation(modules));
  registry.add(tlm_target_bridge_implementation(modules));
  const auto& initiators = modules.declared_initiators();
  const auto& targets = modules.declared_targets();
  for (const auto& [name, module] : initiators)
    if (targets.count(name) == 0) registry.add(tlm_initiator_implementation(name, module));
  for (const auto& [name, module] : targets)
    if (initiators.count(name) == 0) registry.add(tlm_target_implementation(name, module));
}

}  // namespace kernbench
