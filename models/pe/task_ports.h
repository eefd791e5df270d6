// The two ends of a task edge (models/protocol/tile_task.h): sockets with the two-phase protocol on
// them.
#pragma once

#include <memory>

#include "models/protocol/pe_ports.h"

namespace kernbench {

class TaskOutput final : private TileTaskBackward {
 public:
  class Owner {
   public:
    // The receiver has taken a task that offer() left here.
    virtual void task_taken(TileTask& task) = 0;

   protected:
    ~Owner() = default;
  };

  TaskOutput(const char* name, Owner& owner) : socket(name), owner_(owner) { socket.bind(*this); }

  // BEGIN_REQ. True: the task is the receiver's. False: it stays here until task_taken().
  bool offer(TileTask& task);

  TileTaskInitiatorSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_bw(TileTask& task, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Owner& owner_;
};

class TaskInput final : private TileTaskForward {
 public:
  class Owner {
   public:
    // A task stands at the door; take() when there is room for it.
    virtual void task_offered(TileTask& task, TaskInput& from) = 0;

   protected:
    ~Owner() = default;
  };

  TaskInput(const char* name, Owner& owner) : socket(name), owner_(owner) { socket.bind(*this); }

  // END_REQ.
  void take(TileTask& task);

  TileTaskTargetSocket socket;

 private:
  tlm::tlm_sync_enum nb_transport_fw(TileTask& task, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(TileTask&, sc_core::sc_time&) override;
  bool get_direct_mem_ptr(TileTask&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(TileTask&) override { return 0; }

  Owner& owner_;
};

// The engine that serves a stage, as the end of an edge.
PeEngine engine_of(EngineRole role);
const char* name_of(EngineRole role);  // "dma", ...

}  // namespace kernbench
