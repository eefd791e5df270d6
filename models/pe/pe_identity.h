// Which PE an engine belongs to.
#pragma once

#include "models/protocol/machine_description.h"

namespace kernbench {

// Throws ModelError if `node` is no such engine. Looks at every PE of the machine: ask once.
PeId pe_of(const MachineDescription& machine, NodeId node, PeEngine engine);

}  // namespace kernbench
