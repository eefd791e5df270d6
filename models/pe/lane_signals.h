// Signals of a lane of an engine: its state, and the tile that it serves.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/observables.h"
#include "models/base/trace_signal.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

// Of a lane: no task; a task that waits for nothing but the step; that waits for what its stage
// needs; in service; blocked by the engine of its next stage.
enum class LaneState : std::uint8_t { idle, ready, waiting, serving, blocked };

class LaneSignals {
 public:
  // Names "gemm_state{number}" and so on; `number`: "" for the first lane of a stage type.
  LaneSignals(Observables to, const std::string& stage, const std::string& number);

  // `task`: of the lane; null: none. A blocked lane shows the stage that has ended.
  void show(LaneState state, const TileTask* task);

 private:
  void show_stage(const TileTask& task);
  void clear();

  TraceSignal &state_, &busy_, &command_, &tile_, &stage_, &m_, &n_, &k_, &address_;
};

}  // namespace kernbench
