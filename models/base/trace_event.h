// Progress of commands and tiles in a PE (spec 5.4), in an order that is the same in every run.
#pragma once

#include <cstdint>

#include "models/base/units.h"

namespace sc_core {
class sc_object;
}

namespace kernbench {

enum class TraceKind : std::uint8_t {
  command_submitted,
  sub_command_dispatched,
  engine_start,
  engine_complete,
  tile_ready,
  command_complete
};
const char* name_of(TraceKind kind);  // "command_submitted", ...

struct TraceEvent {
  TraceKind kind = TraceKind::command_submitted;
  Fs time = 0;
  const sc_core::sc_object* node = nullptr;
  std::uint64_t command_id = 0;
  std::int64_t tile_id = -1;  // -1: the command as a whole
  std::uint64_t bytes = 0;
  const char* stage = "";  // static: "DMA_READ", ...; "": the command or tile as a whole
};

}  // namespace kernbench
