// Files with the tuning table of collectives, which ccl.yaml names (spec 8.2): read and checked
// like the other configuration files, and written by `tune-collectives`.
#pragma once

#include <string>

#include "platform/config/config_schema.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/tuning_table.h"

namespace kernbench {

ConfigSchema tuning_schema(const AlgorithmRegistry& algorithms);

// ConfigError: a file that is not there, an unknown key, an algorithm of another operation or
// topology, a range that ends before it begins.
TuningTable load_tuning_file(const std::string& path, const AlgorithmRegistry& algorithms);
// As a file of its own, without a heading.
std::string tuning_text(const TuningTable& table);

}  // namespace kernbench
