// accel_slot of a PE (spec 5): one compute op at a time, or, where GEMM and MATH do not share it,
// one of each. Requests of one instant are ordered by (command, tile, stage). Granted at the end of
// the timestep, or at once if no other request can arrive in it.
#pragma once

#include <array>

#include "models/pe/accel_slot_stalls.h"
#include "models/pe/serial_resource.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

class AccelSlotArbiter final : private ServiceProvider<SlotRequest>,
                               private EndOfTimestep::Listener {
 public:
  // `scheduler` is the node.
  AccelSlotArbiter(Component& scheduler, MachineServices& machine, bool shared)
      : scheduler_(scheduler), machine_(machine), shared_(shared),
        stalls_(scheduler, machine.observation().slot_waits) {}

  // Total of the slots, where each engine has its own.
  Fs held_time(Fs now) const { return slots_[0].held_time(now) + slots_[1].held_time(now); }
  const Fs& ended_holds() const { return ended_holds_; }
  Fs stalled(Fs now) const { return slots_[0].stalled(now) + slots_[1].stalled(now); }
  const AccelSlotStalls& stalls() const { return stalls_; }
  void declare_signals(Observables to) {
    held_signal_ = &to.add_signal("accel_slot", "compute operations in service",
                                  SignalFormat::count("ops", 2));
    show_held();
  }

 private:
  using Slot = SerialResource<SlotRequest*>;

  tlm::tlm_sync_enum nb_transport_fw(SlotRequest& request, tlm::tlm_phase& phase) override {
    Slot& slot = slot_of(request);
    if (phase == tlm::END_RESP) {
      release(slot);
      return tlm::TLM_COMPLETED;
    }
    slot.request(&request, request.order, Component::now());
    if (shared_) stalls_.requested(request.stage, request.stream);
    if (request.alone && slot.grantable()) {
      grant(slot);
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    grant_at_end_of_timestep();
    return tlm::TLM_ACCEPTED;
  }
  Slot& slot_of(const SlotRequest& request) {
    return slots_[!shared_ && request.stage == StageType::math ? 1 : 0];
  }
  void release(Slot& slot) {
    const Fs before = slot.ended_holds();
    slot.release(Component::now());
    ended_holds_ += slot.ended_holds() - before;
    if (shared_) stalls_.released();
    show_held();
    if (slot.waiting() > 0) grant_at_end_of_timestep();
  }
  void show_held() {
    if (held_signal_ != nullptr)
      held_signal_->set((slots_[0].held() ? 1 : 0) + (slots_[1].held() ? 1 : 0));
  }

  void grant_at_end_of_timestep() { machine_.end_of_timestep().ask(*this, scheduler_.node()); }
  void end_of_timestep() override {
    guarded(machine_, scheduler_, [this] {
      for (Slot& slot : slots_) {
        if (slot.grantable()) grant(slot).respond(tlm::BEGIN_RESP);
      }
    });
  }
  SlotRequest& grant(Slot& slot) {
    SlotRequest& granted = *slot.grant(Component::now());
    if (shared_) stalls_.granted(granted.stage);
    show_held();
    return granted;
  }

  Component& scheduler_;
  MachineServices& machine_;
  bool shared_;
  TraceSignal* held_signal_ = nullptr;  // null until requested
  std::array<Slot, 2> slots_;           // shared: the first one; else of GEMM and of MATH
  Fs ended_holds_ = 0;
  AccelSlotStalls stalls_;
  ServiceTarget<SlotRequest> requests_{scheduler_, *this};
};

}  // namespace kernbench
