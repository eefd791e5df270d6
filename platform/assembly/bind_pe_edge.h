// Binding of a pe_internal edge: tile tasks by sockets, services by ports
// (models/protocol/pe_ports.h, models/protocol/service_port.h).
#pragma once

#include "models/base/component.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

// Once per directed edge, before the end of elaboration. Only the types of the ports of the source
// and of the interfaces of the target count, so that any engine can be replaced; what neither end
// has is not bound. Throws UsageError if the source needs what the target does not provide.
void bind_pe_edge(Component& source, PeEngine source_engine, Component& target,
                  PeEngine target_engine);

}  // namespace kernbench
