// MachineDescription of a graph.
#pragma once

#include "models/protocol/machine_description.h"
#include "platform/topology/graph.h"

namespace kernbench {

// Copies names; attributes remain owned by the graph. Throws UsageError or AddressError for a
// machine that load_machine() would have refused.
MachineDescription describe_machine(const Graph& graph);

}  // namespace kernbench
