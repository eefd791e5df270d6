// ccl.yaml, checked like the topology.
#pragma once

#include <string>
#include <vector>

#include "platform/topology/config_tree.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {

// Reads the file, applies the overrides in order and checks all keys, also of algorithms that are
// not used. ConfigError.
CclFile load_ccl_file(const std::string& path, const std::vector<Override>& overrides,
                      const AlgorithmRegistry& algorithms);

}  // namespace kernbench
