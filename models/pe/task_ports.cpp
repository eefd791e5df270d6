#include "models/pe/task_ports.h"

#include <fmt/format.h>

#include <string>

#include "models/base/errors.h"

namespace kernbench {
namespace {

[[noreturn]] void unknown_phase(const sc_core::sc_object& socket) {
  throw ModelError(std::string(socket.name()) + ": a task edge knows BEGIN_REQ and END_REQ only");
}

// "task_out_dma" for pe_dma.
std::string output_name(PeEngine to) {
  constexpr std::string_view prefix = "pe_";
  return "task_out_" + std::string(name_of(to).substr(prefix.size()));
}

}  // namespace

// --- Outputs

class TaskOutputs::Output final : private TileTaskBackward {
 public:
  Output(const char* name, TaskOutputListener& listener) : socket(name), listener_(listener) {
    socket.bind(*this);
  }

  TileTaskInitiatorSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_bw(TileTask& task, tlm::tlm_phase& phase,
                                     sc_core::sc_time& /*delay*/) override {
    if (phase != tlm::END_REQ) unknown_phase(socket);
    listener_.task_taken(task);
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  TaskOutputListener& listener_;
};

TaskOutputs::TaskOutputs(Component& component, TaskOutputListener& listener)
    : component_(component), listener_(listener) {}

TaskOutputs::~TaskOutputs() = default;

TileTaskInitiatorSocket& TaskOutputs::add_task_output(PeEngine to) {
  if (stages_of(to).empty())
    throw ModelError(std::string(component_.name()) +
                     ": a task edge to an engine that serves no stage");
  const Component::Scope scope(component_);
  auto& output = outputs_[static_cast<std::size_t>(to)];
  output = std::make_unique<Output>(output_name(to).c_str(), listener_);
  return output->socket;
}

bool TaskOutputs::offer(TileTask& task) {
  const StageType stage = task.stage().type;
  Output* output = outputs_[static_cast<std::size_t>(engine_of(stage))].get();
  if (output == nullptr)
    throw ModelError(
        fmt::format("{}: no task edge to the engine of {}", component_.name(), name_of(stage)));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  return output->socket->nb_transport_fw(task, phase, delay) == tlm::TLM_UPDATED &&
         phase == tlm::END_REQ;
}

// --- Inputs

TaskInput::TaskInput(const char* name, TaskInputListener& listener)
    : socket(name), listener_(listener) {
  socket.bind(*this);
}

void TaskInput::take(TileTask& task) {
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;
  socket->nb_transport_bw(task, phase, delay);
}

tlm::tlm_sync_enum TaskInput::nb_transport_fw(TileTask& task, tlm::tlm_phase& phase,
                                              sc_core::sc_time& /*delay*/) {
  if (phase != tlm::BEGIN_REQ) unknown_phase(socket);
  listener_.task_offered(task, *this);
  return tlm::TLM_ACCEPTED;
}

void TaskInput::b_transport(TileTask&, sc_core::sc_time&) {
  throw ModelError(std::string(socket.name()) + ": tasks do not block");
}

TileTaskTargetSocket& TaskInputs::add_task_input(PeEngine /*from*/) {
  const Component::Scope scope(component_);
  inputs_.push_back(
      std::make_unique<TaskInput>(("task_in" + std::to_string(inputs_.size())).c_str(), listener_));
  return inputs_.back()->socket;
}

}  // namespace kernbench
