// Base class of PE_GEMM and PE_MATH: compute stages, register to register, one at a time per PE.
//
// Timing: waits for accel_slot, then compute_time(); the slot and the registers that the stage
// names are given back at the end, before the task is handed on.
#pragma once

#include <array>

#include "models/pe/stage_engine.h"

namespace kernbench {

class ComputeEngine : public StageEngine<Component>, private ServiceListener<SlotRequest> {
 protected:
  ComputeEngine(const ComponentInit& init, PeEngine engine, const StageParameters& stage)
      : StageEngine(init, engine, stage) {}

  // From the grant of the slot to the result, the engine's overhead included.
  virtual Fs compute_time(const Stage& stage) const = 0;

 private:
  void start(Lane& lane) final {
    SlotRequest& request = requests_[lane.index];
    request.stage = lane.stage().type;
    request.order = lane.task->order();
    request.tag = lane.index;
    to_scheduler_.begin(request);
  }
  void responded(SlotRequest& request, const tlm::tlm_phase& /*phase*/) final {
    Lane& held = lane(request.tag);
    begin(held);
    expire_at(held, now() + compute_time(held.stage()));
  }
  void release(Lane& lane) final {
    to_scheduler_.end(requests_[lane.index]);
    if (lane.stage().register_bytes == 0) return;
    RegisterRequest registers;
    registers.bytes = lane.stage().register_bytes;
    to_fetch_store_.begin(registers);
  }

  std::array<SlotRequest, stage_type_count> requests_;  // by lane
  ServiceInitiator<SlotRequest> to_scheduler_{this};
  ServiceInitiator<RegisterRequest> to_fetch_store_;
};

}  // namespace kernbench
