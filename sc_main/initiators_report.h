// Accesses of plain TLM-2.0 initiators in the report of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/assembly/external_accesses.h"

namespace kernbench {

// A table behind an empty line; empty without initiators.
std::string initiators_text(const std::vector<ExternalAccesses>& initiators);
nlohmann::ordered_json initiators_json(const std::vector<ExternalAccesses>& initiators);

}  // namespace kernbench
