// `topology --format json` (spec 10.1).
#pragma once

#include <string>

#include "platform/topology/graph.h"

namespace kernbench {

// Deterministic, byte for byte; numbers are printed exactly as decimals, an unlimited bandwidth as
// null.
std::string topology_json(const Graph& graph);

}  // namespace kernbench
