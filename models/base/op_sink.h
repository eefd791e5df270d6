// Where components report the operations that they executed. Components contain no logging code:
// the base classes call this.
#pragma once

#include <cstdint>
#include <memory>

#include "models/base/units.h"

namespace sc_core {
class sc_object;
}

namespace kernbench {

struct DataOp;  // models/data: what a command does to values

enum class OpKind : std::uint8_t { memory, gemm, math, copy };

// One executed operation: a command (tile_id < 0) or one stage of one tile (spec 9).
struct ExecutedOp {
  Fs t_start = 0;
  Fs t_end = 0;
  const sc_core::sc_object* node = nullptr;
  OpKind kind = OpKind::memory;
  const char* name = "";         // static: "dma_read", "gemm_f16", "tile/FETCH", ...
  std::uint64_t command_id = 0;  // unique per PE
  std::int64_t tile_id = -1;
  std::uint64_t bytes = 0;
  std::uint64_t macs = 0;              // gemm: m * k * n as they are, not rounded up to cycles
  std::shared_ptr<const DataOp> data;  // null for tile stages, and with data off
};

// How commands and tiles get on in a PE (spec 5.4); in an order that is the same in every run.
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

class OpSink {
 public:
  virtual ~OpSink() = default;
  virtual void executed(const ExecutedOp& op) = 0;
  // Trace events come only if they are wanted.
  virtual bool wants_trace() const { return false; }
  virtual void traced(const TraceEvent& /*event*/) {}
};

}  // namespace kernbench
