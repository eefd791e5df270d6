// The ends of the task edges of a component (models/protocol/tile_task.h): sockets with the
// two-phase protocol on them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/base/component.h"
#include "models/protocol/pe_ports.h"

namespace kernbench {

// Acceptance of the tasks that a component has offered; implemented by the component.
class TaskOutputListener {
 public:
  // The receiver has taken a task that offer() left here.
  virtual void task_taken(TileTask& task) = 0;

 protected:
  ~TaskOutputListener() = default;
};

// The edges that leave a component: one socket for each engine that serves stages, task_out_dma and
// so on.
class TaskOutputs final : public TaskSender {
 public:
  TaskOutputs(Component& component, TaskOutputListener& listener);
  ~TaskOutputs() override;
  TileTaskInitiatorSocket& add_task_output(PeEngine to) override;

  // BEGIN_REQ to the engine of the task's stage. True: the task is the receiver's. False: it stays
  // here until task_taken().
  bool offer(TileTask& task);

 private:
  class Output;

  Component& component_;
  TaskOutputListener& listener_;
  std::array<std::unique_ptr<Output>, engines_of_pe.size()> outputs_;
};

class TaskInput;

// Offers of tasks; implemented by the component.
class TaskInputListener {
 public:
  // The task waits at the edge; from.take() when there is room for it.
  virtual void task_offered(TileTask& task, TaskInput& from) = 0;

 protected:
  ~TaskInputListener() = default;
};

// The near end of one edge that comes in.
class TaskInput final : private TileTaskForward {
 public:
  TaskInput(const char* name, TaskInputListener& listener);
  // END_REQ.
  void take(TileTask& task);

  TileTaskTargetSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(TileTask& task, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(TileTask&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(TileTask&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(TileTask&) override { return 0; }

  TaskInputListener& listener_;
};

// The edges that come in: one socket each, task_in0 and so on.
class TaskInputs final : public TaskReceiver {
 public:
  TaskInputs(Component& component, TaskInputListener& listener)
      : component_(component), listener_(listener) {}
  TileTaskTargetSocket& add_task_input(PeEngine from) override;

 private:
  Component& component_;
  TaskInputListener& listener_;
  std::vector<std::unique_ptr<TaskInput>> inputs_;
};

}  // namespace kernbench
