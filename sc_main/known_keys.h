// Keys that --set takes with their values in a machine, for completion and sensitivity.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/config/machine_spec.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/ccl_settings.h"

namespace kernbench {

struct KnownKey {
  std::string key;  // "cube.links.router_link_bw_gbs", "ccl:defaults.n_slots"
  Parameter parameter;
  ParameterValue value;
};

// Keys of topology.yaml in the order of the file, components with `impl` and their attributes.
std::vector<KnownKey> topology_keys(MachineSpec& machine, const ComponentRegistry& registry);
// Keys `ccl:defaults.*`.
std::vector<KnownKey> ccl_keys(const CclFile& file, const AlgorithmRegistry& algorithms);

}  // namespace kernbench
