// Binding of the services that components have for each other (models/protocol/service_socket.h).
#pragma once

#include "models/base/component.h"
#include "models/protocol/protocol_monitor.h"

namespace kernbench {

// Binds every end of `source` that asks a component of the role of `target`; before the end of
// elaboration. Only the types of payloads count, so that any component can be replaced. Throws
// UsageError if the source needs what the target does not provide. `monitors`: see
// ServiceInitiatorBase.
void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors);

}  // namespace kernbench
