#include "models/protocol/service_socket.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

[[noreturn]] void not_in_this_service(const char* call, const char* service) {
  throw ModelError(fmt::format("{} does not belong to the service {}", call, service));
}

std::string socket_peer(std::string node) {
  for (char& c : node) {
    if (c == '.' || c == '-') c = '_';
  }
  return node;
}

void bind_services(Component& source, Component& target, Role target_role,
                   ProtocolMonitors* monitors) {
  const std::vector<ServiceInitiatorBase*> initiators =
      source.service_initiators();  // a copy: bind_to() may add initiators to the source
  for (ServiceInitiatorBase* initiator : initiators) {
    if (!initiator->binds_to(target_role)) continue;
    if (initiator->bind_to(target, target_role, source.basename(), monitors) ||
        initiator->optional())
      continue;
    throw UsageError(
        fmt::format("{} needs the service {} of {}, whose implementation does not "
                    "provide it",
                    source.name(), initiator->service(), target.name()));
  }
}

}  // namespace kernbench
