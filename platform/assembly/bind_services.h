// Binding of the services between components (models/protocol/service_socket.h).
#pragma once

#include "models/base/component.h"
#include "models/protocol/protocol_monitor.h"

namespace kernbench {

// Binds every service initiator of `source` that requires the role of `target`. Called before the
// end of elaboration. Only payload types are matched, so any component can be replaced. Throws
// UsageError if the source needs a service that the target does not provide. `monitors`: see
// ServiceInitiatorBase.
void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors);

}  // namespace kernbench
