// Base class of PE_GEMM and PE_MATH: compute stages, register to register, one at a time per PE.
//
// Timing: waits for accel_slot, then compute_time(); the slot and the registers that the stage
// names are given back at the end, before the task is handed on.
#pragma once

#include "models/pe/stage_engine.h"

namespace kernbench {

class ComputeEngine : public StageEngine<Component>, private GrantListener {
 protected:
  ComputeEngine(const ComponentInit& init, PeEngine engine, const StageParameters& stage)
      : StageEngine(init, engine, stage) {}

  // From the grant of the slot to the result, the engine's overhead included.
  virtual Fs compute_time(const Stage& stage) const = 0;

 private:
  void start(Lane& lane) final { accel_slot_->request_slot(*this, lane.index, lane.task->order()); }
  void granted(std::uint32_t tag) final {
    Lane& held = lane(tag);
    begin(held);
    expire_at(held, now() + compute_time(held.stage()));
  }
  void release(Lane& lane) final {
    accel_slot_->release_slot();
    if (lane.stage().register_bytes > 0)
      register_file_->release_registers(lane.stage().register_bytes);
  }

  ServicePort<AccelSlot> accel_slot_;
  ServicePort<RegisterFile> register_file_;
};

}  // namespace kernbench
