// The accel_slot of a PE: one compute op at a time (spec 5), requests of one instant by (command,
// tile, stage). Granted at the end of the timestep.
#pragma once

#include "models/pe/serial_resource.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {

class AccelSlotArbiter final : public AccelSlot, private EndOfTimestep::Listener {
 public:
  // `scheduler` is the node; `held` shows whether a compute op runs.
  AccelSlotArbiter(Component& scheduler, MachineServices& machine, TraceSignal& held)
      : scheduler_(scheduler), machine_(machine), held_signal_(held) {}

  void request_slot(GrantListener& listener, std::uint32_t tag, const WorkOrder& order) override {
    slot_.request({&listener, tag}, order, Component::now());
    grant_at_end_of_timestep();
  }
  void release_slot() override {
    slot_.release(Component::now());
    held_signal_.set(0);
    if (slot_.waiting() > 0) grant_at_end_of_timestep();
  }

  Fs held_time(Fs now) const { return slot_.held_time(now); }
  const Fs& ended_holds() const { return slot_.ended_holds(); }

 private:
  struct Request {
    GrantListener* listener = nullptr;
    std::uint32_t tag = 0;
  };

  void grant_at_end_of_timestep() { machine_.end_of_timestep().ask(*this, scheduler_.node()); }
  void end_of_timestep() override {
    guarded(machine_, scheduler_, [this] {
      if (!slot_.grantable()) return;
      const Request granted = slot_.grant(Component::now());
      held_signal_.set(1);
      granted.listener->granted(granted.tag);
    });
  }

  Component& scheduler_;
  MachineServices& machine_;
  TraceSignal& held_signal_;
  SerialResource<Request> slot_;
  ServiceExport<AccelSlot> accel_slot_{*this};
};

}  // namespace kernbench
