// Base class of compute engines whose stages take a time that is known at their start.
//
// Timing: waits for accel_slot, then compute_time() (slot_engine.h).
#pragma once

#include "models/pe/slot_engine.h"

namespace kernbench {

class ComputeEngine : public SlotEngine {
 protected:
  using SlotEngine::SlotEngine;

  // Time from the grant of the slot to the result, including the engine's overhead.
  virtual Fs compute_time(const Stage& stage) const = 0;

 private:
  void compute(Lane& lane) final { expire_at(lane, now() + compute_time(lane.stage())); }
};

}  // namespace kernbench
