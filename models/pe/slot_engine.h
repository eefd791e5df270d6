// Base class of engines that serve compute stages, register to register, one at a time per PE: they
// wait for accel_slot; the slot and the registers that the stage names are released at the end,
// before the task is handed on.
#pragma once

#include <array>

#include "models/pe/stage_engine.h"

namespace kernbench {

class SlotEngine : public StageEngine<Component>, private ServiceListener<SlotRequest> {
 protected:
  SlotEngine(const ComponentInit& init, PeEngine engine, const StageParameters& stage)
      : StageEngine(init, engine, stage) {}

  // Called when the slot is granted and the service has begun. It ends by finish() in a later call
  // to the engine, or expire_at().
  virtual void compute(Lane& lane) = 0;

 private:
  void start(Lane& lane) final {
    SlotRequest& request = requests_[lane.index];
    request.stage = lane.stage().type;
    request.order = lane.task->order();
    request.alone = lane.task->alone;
    request.stream = lane.task->stream;
    request.tag = lane.index;
    if (to_scheduler_.nb_transport_fw(request) == tlm::TLM_UPDATED) granted(lane);
  }
  void nb_transport_bw(SlotRequest& request, const tlm::tlm_phase& /*phase*/) final {
    granted(lane(request.tag));
  }
  void granted(Lane& lane) {
    begin(lane);
    compute(lane);
  }
  void release(Lane& lane) final {
    to_scheduler_.nb_transport_fw(requests_[lane.index], tlm::END_RESP);
    if (lane.stage().register_bytes == 0) return;
    RegisterRequest registers;
    registers.bytes = lane.stage().register_bytes;
    to_fetch_store_.nb_transport_fw(registers);
  }

  std::array<SlotRequest, stage_type_count> requests_;  // by lane
  ServiceInitiator<SlotRequest> to_scheduler_{this};
  ServiceInitiator<RegisterRequest> to_fetch_store_;
};

}  // namespace kernbench
