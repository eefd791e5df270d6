// Binds what travels along a pe_internal edge: tile tasks by sockets, services by ports
// (models/protocol/pe_ports.h).
#pragma once

#include "models/base/component.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

// Once per directed edge, before the end of elaboration. Only the abstract interfaces of the two
// ends count, so that any engine can be replaced; what neither end knows is not bound. Throws
// UsageError if the source needs what the target does not provide.
void bind_pe_edge(Component& source, PeEngine source_engine, Component& target,
                  PeEngine target_engine);

}  // namespace kernbench
