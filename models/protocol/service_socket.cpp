#include "models/protocol/service_socket.h"

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

}  // namespace kernbench
