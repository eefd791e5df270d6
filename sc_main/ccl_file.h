// ccl.yaml, and the tuning table of collectives that it may name (spec 8.2): reads and checks them
// like the other configuration files.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config_schema.h"
#include "sw/collectives/algorithm_registry.h"
#include "sw/collectives/tuning_table.h"

namespace kernbench {

ConfigSchema ccl_schema(const AlgorithmRegistry& algorithms);

// Reads the file and its tuning table, applies the overrides in order and checks all keys,
// including those of unused algorithms. ConfigError. With the table excluded, its file may be
// missing.
CclFile load_ccl_file(const std::string& path, const std::vector<Override>& overrides,
                      const AlgorithmRegistry& algorithms, bool with_tuning_table = true);

// Tuning table that the file names, with its path; "" for a file without one, or one that cannot be
// read.
std::string tuning_table_of(const std::string& path);

ConfigSchema tuning_schema(const AlgorithmRegistry& algorithms);

// ConfigError: a missing file, an unknown key, an algorithm of another operation or topology, a
// range that ends before it begins.
TuningTable load_tuning_file(const std::string& path, const AlgorithmRegistry& algorithms);
// Text of the table as a separate file, without a heading.
std::string tuning_text(const TuningTable& table);

}  // namespace kernbench
