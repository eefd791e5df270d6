// Base class of the engines that serve stages of tiles: queues, back-pressure, chaining, completion
// and records are implemented here; an engine implements its stage only (spec 5, 5.2).
//
// Each stage type has a queue of `queue_depth` tasks and one lane, or several, with a task in
// service each. An offered task (BEGIN_REQ) is accepted (END_REQ) when the queue has room; offers
// wait in order of their instants, offers of one instant by (command, tile, stage). If no other
// command is outstanding in the PE (TileTask::alone), the stage starts in the offer. When a stage
// has ended, its resources are released, then the task is passed to the engine of its next stage,
// tiles in their order; until that engine accepts it, it blocks its lane. Consecutive stages of one
// engine are served in place. The last stage completes the tile.
//
// Freedom from deadlock: the stages of a tile only go forward (DMA_READ, FETCH, GEMM, MATH, STORE,
// DMA_WRITE), each has a lane of its own, and a lane blocks only on later lanes; DMA_WRITE ends in
// the fabric, which always drains. The other resources of a stage (tile buffer, register file) are
// released by earlier tiles only: tiles take them in the order in which they are fed, which no lane
// changes and which the scheduler keeps between commands that enter at different stages. The oldest
// tile can therefore always make progress.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "models/base/parameter_set.h"
#include "models/base/small_vector.h"
#include "models/pe/lane_signals.h"
#include "models/pe/task_ports.h"
#include "models/protocol/fabric_node.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/ring_buffer.h"
#include "models/timing/stall_time.h"

namespace kernbench {

// Parameters that every engine with stages has; a member of its Parameters.
struct StageParameters {
  StageParameters(ParameterSet& set, const char* default_overhead_ns);
  Param<Fs> overhead;
  Param<std::uint32_t> queue_depth;
};

// Node: Component, or FabricNode for an engine that is also a node of the fabric.
template <class Node>
class StageEngine : public Node, private TaskOutputListener, private ServiceProvider<TaskOffer> {
 public:
  void report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const override;

  struct StageQueue;
  // A server of a stage type.
  struct Lane {
    StageQueue* queue = nullptr;
    std::uint32_t index = 0;
    TileTask* task = nullptr;  // in service
    LaneState state = LaneState::idle;
    Fs started = 0;  // start of the service: after the grant of the resources of the stage
    Fs due = never_fs;

    const Stage& stage() const { return task->stage(); }

   private:
    friend class StageEngine;
    std::uint64_t place = 0;               // place of the task in the order of its stage type
    bool offered = false;                  // offered to the engine of the next stage
    std::unique_ptr<LaneSignals> signals;  // null until requested
  };
  // Queue of a stage type, with the lanes that serve it.
  struct StageQueue {
    StageType type = StageType::fetch;

   private:
    friend class StageEngine;
    struct Offer {
      TaskOffer* offer = nullptr;
      Fs since = 0;
    };
    static bool goes_before(const Offer& a, const Offer& b) {
      return a.since != b.since ? a.since < b.since
                                : a.offer->task->order() < b.offer->task->order();
    }
    SmallVector<Lane*, 2> lanes;
    struct Waiting {
      TileTask* task = nullptr;
      Fs since = 0;
    };
    RingBuffer<Waiting, 2> tasks;
    RingBuffer<Offer> offers;
    std::uint64_t taken = 0;  // tasks, since the start of the run
    std::uint64_t busy = 0, served = 0, high_water = 0;
    std::uint64_t stalled = 0;      // time in the queue, of tasks that have left it
    TraceSignal* signal = nullptr;  // null until requested
  };

  // Interface for the engine and its parts.
  Fs overhead() const { return overhead_; }
  void begin(Lane& lane);
  void finish(Lane& lane);

 protected:
  // A queue and a lane for each stage type that `engine` serves, in the order of StageType.
  template <class... More>
  StageEngine(const ComponentInit& init, PeEngine engine, const StageParameters& parameters,
              More&&... more)
      : Node(init, std::forward<More>(more)...), queue_depth_(*parameters.queue_depth),
        overhead_(*parameters.overhead), outputs_(*this, *this), inputs_(*this, *this),
        step_("step_event"), timer_("timer_event") {
    set_up(stages_of(engine));
  }

  // Called when the lane has a stage to serve. Calls begin() when the service begins, then finish()
  // or expire_at(); any of them may be called in a later call to the engine.
  virtual void start(Lane& lane) = 0;
  // Called at the time of expire_at().
  virtual void expired(Lane& lane) { finish(lane); }
  // Called when the stage has ended: releases its resources.
  virtual void release(Lane& /*lane*/) {}
  // Called at the end of a step: when tasks have arrived, when a lane can proceed, and after
  // wake_engine().
  virtual void stepped() {}
  void declare_signals() override;

  void expire_at(Lane& lane, Fs time);
  // Runs the step in the next delta.
  void wake_engine() {
    asked_ = true;
    step_.notify(sc_core::SC_ZERO_TIME);
  }

  // Further lanes for a stage type, which share its queue; in the constructor. Tiles are taken and
  // handed on in their order, whichever lane has ended first; commands without tiles are not held.
  void add_lanes(StageType type, std::uint32_t count);
  std::size_t lane_count() const { return lanes_.size(); }

  Lane& lane(std::uint32_t index) { return *lanes_[index]; }
  // First lane of a stage type.
  Lane& lane_of(StageType type) { return *queue_of(type).lanes.front(); }

 private:
  void set_up(StageSet stages);
  tlm::tlm_sync_enum nb_transport_fw(TaskOffer& offer, tlm::tlm_phase& phase) final;
  void task_taken(TileTask& task) final;
  void step();
  void run_lanes();
  bool can_go_on() const;
  StageQueue& queue_of(StageType type);
  void add_lane(StageQueue& queue);
  void admit(StageQueue& queue);
  void put(StageQueue& queue, TileTask& task, Fs since);
  void take_task(Lane& lane);
  void call_start(Lane& lane);
  void set_state(Lane& lane, LaneState state) {
    lane.state = state;
    if (lane.signals != nullptr) lane.signals->show(state, lane.task);
  }
  void move_on(Lane& lane);
  void hand_over(Lane& lane);
  void free(Lane& lane);
  void record(const Lane& lane);
  ExecutedOp op_until_now(const Lane& lane) const;  // without its data
  void trace(TraceKind kind, const Lane& lane);
  bool serves(StageType type) const;

  StaticVector<StageQueue, stage_type_count> queues_;
  SmallVector<std::unique_ptr<Lane>, 2> lanes_;
  std::uint32_t queue_depth_;
  Fs overhead_;
  TaskOutputs outputs_;
  ServiceTarget<TaskOffer> inputs_;
  sc_core::sc_event step_, timer_;
  bool asked_ = false;  // a step in which services begin is requested
};

extern template class StageEngine<Component>;
extern template class StageEngine<FabricNode>;

}  // namespace kernbench
