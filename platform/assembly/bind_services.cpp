#include "platform/assembly/bind_services.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/protocol/service_socket.h"

namespace kernbench {

void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors) {
  const std::vector<ServiceEnd*> ends = source.service_ends();  // it may get more
  for (ServiceEnd* end : ends) {
    if (!end->asks(target_role)) continue;
    if (end->bind_to(target, target_role, source.basename(), monitors) || end->optional()) continue;
    throw UsageError(
        fmt::format("{} needs the service {} of {}, whose implementation does not "
                    "provide it",
                    source.name(), end->service(), target.name()));
  }
}

}  // namespace kernbench
