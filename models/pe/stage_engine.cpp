#include "models/pe/stage_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "models/base/errors.h"
#include "models/data/data_op.h"
#include "models/protocol/machine_services.h"

namespace kernbench {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

OpKind kind_of(StageType type) {
  if (type == StageType::gemm) return OpKind::gemm;
  return type == StageType::math ? OpKind::math : OpKind::memory;
}

// The record of a simple command; a tile's stage is "tile/STAGE".
const char* command_name(const Stage& stage) {
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
      queue_depth(set,
                  Parameter::integer("queue_depth", "tasks that wait per stage type", "", "spec 5")
                      .default_val(8)
                      .range("1", "1000000")) {}

template <class Node>
void StageEngine<Node>::set_up(StageSet stages) {
  for (int type = 0; type < stage_type_count; ++type) {
    if (stages.has(static_cast<StageType>(type)))
      lanes_.emplace_back().type = static_cast<StageType>(type);
  }
  std::uint32_t index = 0;
  for (Lane& lane : lanes_) {
    lane.index = index++;
    const std::string stage = lower(name_of(lane.type));
    this->add_busy_time(stage + "_busy", "time in service", lane.busy, [&lane](Fs now) {
      return lane.busy + (lane.state == LaneState::serving ? now - lane.started : 0);
    });
    this->add_statistic(stage + "_served", "stages served", Quantity::count, lane.served);
    this->add_statistic(stage + "_queue_high_water", "most tasks that waited", Quantity::count,
                        lane.queue_high_water, Merge::maximum);
    lane.state_signal = &this->add_signal(stage + "_state", "what the lane does", 3,
                                          {"idle", "ready", "waiting", "serving", "blocked"});
    lane.busy_signal = &this->add_signal(stage + "_busy", "a stage is in service", 1);
    lane.queue_signal = &this->add_signal(stage + "_queue", "tasks that wait", 16);
    lane.command_signal =
        &this->add_signal(stage + "_command", "command in service, 0 if none", 32);
  }
  using SC_CURRENT_USER_MODULE = StageEngine;
  SC_METHOD(step);
  this->sensitive << step_ << timer_;
  this->dont_initialize();
}

template <class Node>
bool StageEngine<Node>::serves(StageType type) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [type](const Lane& lane) { return lane.type == type; });
}

template <class Node>
typename StageEngine<Node>::Lane& StageEngine<Node>::lane_of(StageType type) {
  for (Lane& lane : lanes_) {
    if (lane.type == type) return lane;
  }
  throw ModelError(fmt::format("{} does not serve {}", this->name(), kernbench::name_of(type)));
}

template <class Node>
void StageEngine<Node>::set_state(Lane& lane, LaneState state) {
  lane.state = state;
  lane.state_signal->set(static_cast<std::uint64_t>(state));
  lane.busy_signal->set(state == LaneState::serving ? 1 : 0);
  lane.command_signal->set(lane.task == nullptr ? 0 : lane.task->command_id);
}

// --- Tasks come

template <class Node>
tlm::tlm_sync_enum StageEngine<Node>::nb_transport_fw(TaskOffer& offer, tlm::tlm_phase& /*phase*/) {
  lane_of(offer.task->stage().type).offers.insert_sorted({&offer, this->now()}, Lane::goes_before);
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
  for (Lane& lane : lanes_) {
    if (lane.due > this->now()) continue;
    lane.due = never_fs;
    finished = true;
    expired(lane);
    wake_engine();
  }
  // What ends at an instant is known before anything of that instant begins: services begin in a
  // later delta.
  if (!finished) {
    for (Lane& lane : lanes_) {
      admit(lane);
      if (lane.state == LaneState::idle && !lane.queue.empty()) {
        lane.task = lane.queue.front();
        lane.queue.pop_front();
        set_state(lane, LaneState::ready);
        admit(lane);
      }
      if (lane.state == LaneState::ready) {
        lane.started = this->now();
        set_state(lane, LaneState::waiting);
        start(lane);
      }
    }
    stepped();
  }
  Fs next = never_fs;
  for (const Lane& lane : lanes_) next = std::min(next, lane.due);
  if (next != never_fs) timer_.notify(this->work_at(next));
}

template <class Node>
void StageEngine<Node>::admit(Lane& lane) {
  while (lane.queue.size() < queue_depth_ && !lane.offers.empty()) {
    TaskOffer& offer = *lane.offers.front().offer;
    lane.offers.pop_front();
    lane.queue.push_back(offer.task);
    offer.respond(tlm::END_REQ);
  }
  lane.queue_high_water = std::max<std::uint64_t>(lane.queue_high_water, lane.queue.size());
  lane.queue_signal->set(lane.queue.size());
}

// --- A stage

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
  lane.busy += this->now() - lane.started;
  ++lane.served;
  record(lane);
  trace(TraceKind::engine_complete, lane);
  release(lane);
  lane.task->completion->stage_ended(*lane.task);
  wake_engine();
  move_on(lane);
}

template <class Node>
void StageEngine<Node>::move_on(Lane& lane) {
  TileTask& task = *lane.task;
  if (task.last_stage()) {
    lane.task = nullptr;
    set_state(lane, LaneState::idle);
    task.completion->complete_tile(task);
    return;
  }
  ++task.stage_index;
  const StageType next = task.stage().type;
  if (serves(next)) return set_state(lane, LaneState::ready);
  set_state(lane, LaneState::blocked);
  if (outputs_.offer(task)) {
    lane.task = nullptr;
    set_state(lane, LaneState::idle);
  }
}

template <class Node>
void StageEngine<Node>::task_taken(TileTask& task) {
  for (Lane& lane : lanes_) {
    if (lane.task != &task || lane.state != LaneState::blocked) continue;
    lane.task = nullptr;
    set_state(lane, LaneState::idle);
    wake_engine();
    return;
  }
  throw ModelError(std::string(this->name()) + ": END_REQ for a task that is not here");
}

// --- Records

template <class Node>
void StageEngine<Node>::record(const Lane& lane) {
  const AnalysisPort<ExecutedOp>& port = this->services().observation().executed_ops;
  if (!port.observed()) return;
  const Stage& stage = lane.stage();
  ExecutedOp op = op_until_now(lane);
  op.macs = static_cast<std::uint64_t>(stage.m) * static_cast<std::uint64_t>(stage.k) *
            static_cast<std::uint64_t>(stage.n);
  op.data = lane.task->data;
  port.write(op);
}

template <class Node>
void StageEngine<Node>::report_under_way(tlm::tlm_analysis_if<ExecutedOp>& to) const {
  for (const Lane& lane : lanes_) {
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
  op.name = task.simple ? command_name(stage) : op_log_name_of(stage.type);
  op.command_id = task.command_id;
  op.tile_id = task.simple ? -1 : static_cast<std::int64_t>(task.tile.id);
  op.bytes = stage.bytes;
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
