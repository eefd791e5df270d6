// Executed operations, as the base classes of the engines report them: components contain no
// logging code.
#pragma once

#include <cstdint>
#include <memory>

#include "models/base/units.h"

namespace sc_core {
class sc_object;
}

namespace kernbench {

struct DataOp;    // models/data: effect of a command on values
struct TileTask;  // models/protocol: work in an engine

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
  std::uint32_t stream = 0;  // stream of the launch whose kernel requested it
  std::uint64_t bytes = 0;
  std::uint64_t runs = 1;  // DMA: contiguous pieces of memory
  std::uint64_t macs = 0;  // gemm: m * k * n as they are, not rounded up to cycles
  // The command's effect on values; null with data off, and for moves, unless the parameters are
  // recorded (Observation::records_parameters).
  std::shared_ptr<const DataOp> data;
  // Task in service of an engine with stages; valid during the write only.
  const TileTask* task = nullptr;
};

}  // namespace kernbench
