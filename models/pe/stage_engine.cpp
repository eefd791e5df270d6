#include "models/pe/stage_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "models/base/atomic_op.h"
#include "models/base/errors.h"
#include "models/data/data_op.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

// DMA stages are part of the times of the channels (pe_dma.cpp).
Server server_of_stage(StageType type) {
  switch (type) {
    case StageType::gemm:
      return {Server::Kind::rate, "macs_per_cycle"};
    case StageType::math:
      return {Server::Kind::rate, "lanes"};
    case StageType::fetch:
    case StageType::store:
      return {Server::Kind::slot, "overhead_ns"};
    default:
      return {Server::Kind::none};
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

OpKind kind_of(StageType type) {
  if (type == StageType::gemm) return OpKind::gemm;
  return type == StageType::math ? OpKind::math : OpKind::memory;
}

// The record of a simple command; a tile's stage is "tile/STAGE".
const char* command_name(const TileTask& task) {
  if (task.atomic != nullptr) return name_of(task.atomic->op);
  const Stage& stage = task.stage();
  switch (stage.type) {
    case StageType::dma_read:
      return "dma_read";
    case StageType::dma_write:
      return "dma_write";
    case StageType::gemm:
      return gemm_name(stage.dtype);
    case StageType::math:
      return name_of(stage.math_op).data();  // a literal
    default:
      return op_log_name_of(stage.type);
  }
}

}  // namespace

StageParameters::StageParameters(ParameterSet& set, const char* default_overhead_ns)
    : overhead(set,
               Parameter::duration_ns("overhead_ns", "time per stage before its work", "spec 5")
                   .default_val(default_overhead_ns)),
      queue_depth(set, Parameter::integer("queue_depth", "queue depth per stage type, in tasks", "",
                                          "spec 5")
                           .default_val(8)
                           .range("1", "1000000")) {}

template <class Node>
void StageEngine<Node>::set_up(StageSet stages) {
  for (int type = 0; type < stage_type_count; ++type) {
    if (!stages.has(static_cast<StageType>(type))) continue;
    StageQueue& queue = queues_.emplace_back();
    queue.type = static_cast<StageType>(type);
    const std::string stage = lower(name_of(queue.type));
    Server server = server_of_stage(queue.type);
    server.stalled = [&queue](Fs now) {
      return queue.stalled + stalled_in(queue.tasks, now) + stalled_in(queue.offers, now);
    };
    this->add_busy_time(
        stage + "_busy", "time in service", queue.busy,
        [&queue](Fs now) {
          Fs busy = queue.busy;
          for (const Lane* lane : queue.lanes)
            if (lane->state == LaneState::serving) busy += now - lane->started;
          return busy;
        },
        server);
    this->add_statistic(stage + "_served", "stages served", Quantity::count, queue.served);
    this->add_statistic(stage + "_queue_high_water", "maximum number of queued tasks",
                        Quantity::count, queue.high_water, Merge::maximum);
    add_lane(queue);
  }
  using SC_CURRENT_USER_MODULE = StageEngine;
  SC_METHOD(step);
  this->sensitive << step_ << timer_;
  this->dont_initialize();
}

template <class Node>
void StageEngine<Node>::add_lane(StageQueue& queue) {
  lanes_.push_back(std::make_unique<Lane>());
  Lane& lane = *lanes_.back();
  lane.queue = &queue;
  lane.index = static_cast<std::uint32_t>(lanes_.size() - 1);
  queue.lanes.push_back(&lane);
}

template <class Node>
void StageEngine<Node>::add_lanes(StageType type, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) add_lane(queue_of(type));
  this->server_of(lower(name_of(type)) + "_busy").places += count;
}

template <class Node>
bool StageEngine<Node>::serves(StageType type) const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [type](const StageQueue& queue) { return queue.type == type; });
}

template <class Node>
typename StageEngine<Node>::StageQueue& StageEngine<Node>::queue_of(StageType type) {
  for (StageQueue& queue : queues_) {
    if (queue.type == type) return queue;
  }
  throw ModelError(fmt::format("{} does not serve {}", this->name(), kernbench::name_of(type)));
}

// Adds the signals with their current values.
template <class Node>
void StageEngine<Node>::declare_signals() {
  Node::declare_signals();
  Observables to(*this);
  for (StageQueue& queue : queues_) {
    const std::string stage = lower(name_of(queue.type));
    queue.signal = &to.add_signal(stage + "_queue", "tasks queued", SignalFormat::count("tasks"));
    queue.signal->set(queue.tasks.size());
    for (std::size_t i = 0; i < queue.lanes.size(); ++i) {
      Lane& lane = *queue.lanes[i];
      lane.signals = std::make_unique<LaneSignals>(to, stage, i == 0 ? "" : std::to_string(i));
      lane.signals->show(lane.state, lane.task);
    }
  }
}

// --- Arrival of tasks

template <class Node>
tlm::tlm_sync_enum StageEngine<Node>::nb_transport_fw(TaskOffer& offer, tlm::tlm_phase& phase) {
  StageQueue& queue = queue_of(offer.task->stage().type);
  if (offer.task->alone && queue.lanes.front()->state == LaneState::idle) {
    put(queue, *offer.task, this->now());
    take_task(*queue.lanes.front());
    call_start(*queue.lanes.front());
    stepped();
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  queue.offers.insert_sorted({&offer, this->now()}, StageQueue::goes_before);
  wake_engine();
  return tlm::TLM_ACCEPTED;
}

template <class Node>
void StageEngine<Node>::step() {
  guarded(this->services(), *this, [this] { run_lanes(); });
}

template <class Node>
void StageEngine<Node>::run_lanes() {
  bool finished = false;
  for (const auto& each : lanes_) {
    Lane& lane = *each;
    if (lane.due > this->now()) continue;
    lane.due = never_fs;
    finished = true;
    expired(lane);
  }
  // Ends of an instant are processed before its starts: services begin in a later delta cycle.
  if (finished) {
    if (asked_ || can_go_on()) wake_engine();
  } else {
    asked_ = false;
    for (const auto& each : lanes_) {
      Lane& lane = *each;
      admit(*lane.queue);
      if (lane.state == LaneState::idle && !lane.queue->tasks.empty()) take_task(lane);
      if (lane.state == LaneState::ready) call_start(lane);
    }
    stepped();
  }
  Fs next = never_fs;
  for (const auto& lane : lanes_) next = std::min(next, lane->due);
  if (next != never_fs) timer_.notify(this->work_at(next));
}

// Checks that need neither a new task nor a released resource.
template <class Node>
bool StageEngine<Node>::can_go_on() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
    return lane->state == LaneState::ready ||
           (lane->state == LaneState::idle &&
            !(lane->queue->tasks.empty() && lane->queue->offers.empty()));
  });
}

template <class Node>
void StageEngine<Node>::take_task(Lane& lane) {
  StageQueue& queue = *lane.queue;
  lane.task = queue.tasks.front().task;
  queue.stalled += this->now() - queue.tasks.front().since;
  lane.place = queue.taken++;
  queue.tasks.pop_front();
  set_state(lane, LaneState::ready);
  admit(queue);
}

template <class Node>
void StageEngine<Node>::admit(StageQueue& queue) {
  while (queue.tasks.size() < queue_depth_ && !queue.offers.empty()) {
    TaskOffer& offer = *queue.offers.front().offer;
    const Fs since = queue.offers.front().since;
    queue.offers.pop_front();
    put(queue, *offer.task, since);
    offer.respond(tlm::END_REQ);
  }
  if (queue.signal != nullptr) queue.signal->set(queue.tasks.size());
}

template <class Node>
void StageEngine<Node>::put(StageQueue& queue, TileTask& task, Fs since) {
  queue.tasks.push_back({&task, since});
  queue.high_water = std::max<std::uint64_t>(queue.high_water, queue.tasks.size());
}

// --- A stage

template <class Node>
void StageEngine<Node>::call_start(Lane& lane) {
  lane.started = this->now();
  set_state(lane, LaneState::waiting);
  start(lane);
}

template <class Node>
void StageEngine<Node>::begin(Lane& lane) {
  lane.started = this->now();
  set_state(lane, LaneState::serving);
  trace(TraceKind::engine_start, lane);
}

template <class Node>
void StageEngine<Node>::expire_at(Lane& lane, Fs time) {
  lane.due = time;
  timer_.notify(this->work_at(time));  // an earlier one that is pending stays
}

template <class Node>
void StageEngine<Node>::finish(Lane& lane) {
  lane.queue->busy += this->now() - lane.started;
  ++lane.queue->served;
  record(lane);
  trace(TraceKind::engine_complete, lane);
  release(lane);
  lane.task->completion->held(lane.stage().type, this->now() - lane.started);
  lane.task->completion->stage_ended(*lane.task);
  move_on(lane);
  if (can_go_on()) wake_engine();
}

template <class Node>
void StageEngine<Node>::move_on(Lane& lane) {
  TileTask& task = *lane.task;
  if (task.last_stage()) {
    free(lane);
    task.completion->complete_tile(task);
    return;
  }
  ++task.stage_index;
  const StageType next = task.stage().type;
  if (serves(next)) return set_state(lane, LaneState::ready);
  set_state(lane, LaneState::blocked);
  hand_over(lane);
}

// In the order of the tiles: after tiles that other lanes have taken before.
template <class Node>
void StageEngine<Node>::hand_over(Lane& lane) {
  for (const Lane* other : lane.queue->lanes) {
    if (other->task != nullptr && !other->task->simple && other->place < lane.place) return;
  }
  lane.offered = true;
  if (outputs_.offer(*lane.task)) free(lane);
}

template <class Node>
void StageEngine<Node>::free(Lane& lane) {
  lane.task = nullptr;
  lane.offered = false;
  set_state(lane, LaneState::idle);
  if (lane.queue->lanes.size() == 1) return;
  for (Lane* other : lane.queue->lanes) {
    if (other->state == LaneState::blocked && !other->offered) hand_over(*other);
  }
}

template <class Node>
void StageEngine<Node>::task_taken(TileTask& task) {
  for (const auto& each : lanes_) {
    Lane& lane = *each;
    if (lane.task != &task || lane.state != LaneState::blocked) continue;
    free(lane);
    if (can_go_on()) wake_engine();
    return;
  }
  throw ModelError(std::string(this->name()) + ": END_REQ for a task that is not outstanding");
}

// --- Records

template <class Node>
void StageEngine<Node>::record(const Lane& lane) {
  const AnalysisPort<ExecutedOp>& port = this->services().observation().executed_ops;
  if (!port.observed()) return;
  const Stage& stage = lane.stage();
  ExecutedOp op = op_until_now(lane);
  if (stage.is_gemm())
    op.macs = static_cast<std::uint64_t>(stage.m) * static_cast<std::uint64_t>(stage.k) *
              static_cast<std::uint64_t>(stage.n) * static_cast<std::uint64_t>(stage.batch);
  op.data = lane.task->data;
  op.task = lane.task;
  port.write(op);
}

template <class Node>
void StageEngine<Node>::report_in_progress(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  for (const auto& each : lanes_) {
    const Lane& lane = *each;
    if (lane.state == LaneState::serving) to.write(op_until_now(lane));
  }
}

template <class Node>
ExecutedOp StageEngine<Node>::op_until_now(const Lane& lane) const {
  const TileTask& task = *lane.task;
  const Stage& stage = task.stage();
  ExecutedOp op;
  op.t_start = lane.started;
  op.t_end = this->now();
  op.node = this;
  op.kind = kind_of(stage.type);
  op.name = task.simple ? command_name(task) : op_log_name_of(stage.type);
  op.command_id = task.command_id;
  op.stream = task.stream;
  op.tile_id = task.simple ? -1 : static_cast<std::int64_t>(task.tile.id);
  op.bytes = stage.bytes;
  op.runs = task.run_count();
  return op;
}

template <class Node>
void StageEngine<Node>::trace(TraceKind kind, const Lane& lane) {
  const AnalysisPort<TraceEvent>& port = this->services().observation().trace_events;
  if (!port.observed()) return;
  const TileTask& task = *lane.task;
  port.write({kind, this->now(), this, task.command_id,
              task.simple ? -1 : static_cast<std::int64_t>(task.tile.id), task.stage().bytes,
              kernbench::name_of(task.stage().type)});
}

template class StageEngine<Component>;
template class StageEngine<FabricNode>;

}  // namespace kernbench
