// Physical addresses of the memories of a machine (spec 3.1).
#pragma once

#include "models/protocol/memory_map.h"
#include "platform/topology/graph.h"

namespace kernbench {

MemoryMap memory_map_of(const Graph& graph);

}  // namespace kernbench
