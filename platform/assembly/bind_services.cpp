#include "platform/assembly/bind_services.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/protocol/service_socket.h"

namespace kernbench {

void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors) {
  const std::vector<sc_core::sc_object*> children = source.get_child_objects();  // may grow
  for (sc_core::sc_object* child : children) {
    auto* end = dynamic_cast<ServiceEnd*>(child);
    if (end == nullptr || !end->asks(target_role)) continue;
    if (end->bind_to(target, target_role, source.basename(), monitors) || end->optional()) continue;
    throw UsageError(
        fmt::format("{} needs the service {} of {}, whose implementation does not "
                    "provide it",
                    source.name(), end->service(), target.name()));
  }
}

}  // namespace kernbench
