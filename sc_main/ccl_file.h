// ccl.yaml, checked like the topology.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_schema.h"
#include "sw/collectives/algorithm_registry.h"

namespace kernbench {

ConfigSchema ccl_schema(const AlgorithmRegistry& algorithms);

// Reads the file and its tuning table, applies the overrides in order and checks all keys, also of
// algorithms that are not used. ConfigError. Without the table it need not be there yet.
CclFile load_ccl_file(const std::string& path, const std::vector<Override>& overrides,
                      const AlgorithmRegistry& algorithms, bool with_tuning_table = true);

}  // namespace kernbench
