#include "models/base/trace_event.h"

#include <array>

namespace kernbench {

const char* name_of(TraceKind kind) {
  constexpr std::array<const char*, 6> names{"command_submitted", "sub_command_dispatched",
                                             "engine_start",      "engine_complete",
                                             "tile_ready",        "command_complete"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace kernbench
