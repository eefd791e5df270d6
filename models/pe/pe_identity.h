// Which PE an engine belongs to.
#pragma once

#include "models/protocol/machine_view.h"

namespace kernbench {

// Throws ModelError if `node` is no such engine. Looks at every PE of the machine: ask once.
PeId pe_of(const MachineView& machine, NodeId node, PeEngine engine);

}  // namespace kernbench
