#include "models/pe/task_ports.h"

#include <fmt/format.h>

#include "models/base/errors.h"

namespace kernbench {

bool TaskOutputs::bind_to(Component& provider, Role role, const std::string& from,
                          ProtocolMonitors* monitors) {
  const Component::Scope scope(component_);
  auto& output = outputs_[static_cast<std::size_t>(role)];
  ServiceListener<TaskOffer>* listener = this;
  output =
      std::make_unique<ServiceInitiator<TaskOffer>>(listener, role, std::string(name_of(role)));
  return output->bind_to(provider, role, from, monitors);
}

bool TaskOutputs::offer(TileTask& task) {
  const StageType stage = task.stage().type;
  ServiceInitiator<TaskOffer>* output = outputs_[static_cast<std::size_t>(engine_of(stage))].get();
  if (output == nullptr)
    throw ModelError(
        fmt::format("{}: no task edge to the engine of {}", component_.name(), name_of(stage)));
  TaskOffer& offer = offers_.take();
  offer.task = &task;
  if (output->nb_transport_fw(offer) == tlm::TLM_ACCEPTED) return false;
  offers_.give_back(offer);
  return true;
}

void TaskOutputs::nb_transport_bw(TaskOffer& offer, const tlm::tlm_phase& /*phase*/) {
  listener_.task_taken(*offer.task);
  offers_.give_back(offer);
}

}  // namespace kernbench
