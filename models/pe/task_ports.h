// Initiators of the task edges of a component: tile tasks from engine to engine (spec 5.2).
#pragma once

#include <array>
#include <memory>

#include "models/base/component.h"
#include "models/protocol/pe_services.h"

namespace kernbench {

// Acceptance of the tasks that a component has offered; implemented by the component.
class TaskOutputListener {
 public:
  // The receiver has taken a task that offer() left here.
  virtual void task_taken(TileTask& task) = 0;

 protected:
  ~TaskOutputListener() = default;
};

// The edges that leave a component: a socket for each engine with stages that an edge leads to.
class TaskOutputs final : public ServiceInitiatorBase, private ServiceListener<TaskOffer> {
 public:
  TaskOutputs(Component& component, TaskOutputListener& listener)
      : component_(component), listener_(listener) {
    component.add_service_initiator(*this);
  }

  // Sends BEGIN_REQ to the engine of the task's stage. Returns true if the receiver has accepted
  // the task; otherwise the task stays here until task_taken().
  bool offer(TileTask& task);

  const char* service() const override { return TaskOffer::service; }
  bool binds_to(Role role) const override { return !stages_of(role).empty(); }
  bool optional() const override { return false; }
  bool bind_to(Component& provider, Role role, const std::string& from,
               ProtocolMonitors* monitors) override;

 private:
  void nb_transport_bw(TaskOffer& offer, const tlm::tlm_phase& phase) override;

  Component& component_;
  TaskOutputListener& listener_;
  std::array<std::unique_ptr<ServiceInitiator<TaskOffer>>, engines_of_pe.size()> outputs_;
  PayloadPool<TaskOffer> offers_;
};

}  // namespace kernbench
