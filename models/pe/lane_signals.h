// Signals of a lane of an engine: its state, and the tile that it serves.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/observables.h"
#include "models/base/trace_signal.h"
#include "models/protocol/tile_task.h"

namespace kernbench {

// Lane state: idle, without a task; ready, with a task that waits only for the step; waiting, for
// the resources of its stage; serving; blocked by the engine of its next stage.
enum class LaneState : std::uint8_t { idle, ready, waiting, serving, blocked };

class LaneSignals {
 public:
  // Names "gemm_state{number}" and so on; `number`: "" for the first lane of a stage type.
  LaneSignals(Observables to, const std::string& stage, const std::string& number);

  // `task`: task of the lane; null: none. A blocked lane shows the stage that has ended.
  void show(LaneState state, const TileTask* task);

 private:
  void show_stage(const TileTask& task);
  void clear();

  TraceSignal &state_, &busy_, &command_, &tile_, &stage_, &m_, &n_, &k_, &address_;
};

}  // namespace kernbench
