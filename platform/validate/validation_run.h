// Runs cases, each on a fresh machine in a child process, and reports expected, simulated,
// deviation, source and verdict.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

struct ValidationOutcome {
  ValidationCase reference;
  std::vector<ValidationCheck> checks;
  std::string failure;  // reason for missing checks: the run has failed
  bool passed() const;
};

// File of a shipped topology ("" and "tiny").
using TopologyPath = std::function<std::string(const std::string&)>;

// No machine may have been built in this process.
std::vector<ValidationOutcome> run_validation(const std::vector<ValidationCase>& cases,
                                              const ComponentRegistry& registry,
                                              const TopologyPath& topology_path);

std::string validation_text(const std::vector<ValidationOutcome>& outcomes);
// Units are in the key names or next to the numbers; includes the --set options that make the
// machine.
nlohmann::ordered_json validation_json(const std::vector<ValidationOutcome>& outcomes);

}  // namespace kernbench
