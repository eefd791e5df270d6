#include "platform/export/timeline_pes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "platform/assembly/machine_root.h"

namespace kernbench {
namespace {

std::uint32_t rank_of_stage(std::string_view stage) {
  constexpr std::array<std::string_view, 6> path{"DMA_READ", "FETCH", "GEMM",
                                                 "MATH",     "STORE", "DMA_WRITE"};
  return TimelineRank::stage +
         static_cast<std::uint32_t>(std::find(path.begin(), path.end(), stage) - path.begin());
}

TimelineArguments arguments_of(std::uint64_t command, std::int64_t tile, std::uint64_t bytes) {
  TimelineArguments arguments{{"command", command}};
  if (tile >= 0) arguments.emplace_back("tile", static_cast<std::uint64_t>(tile));
  if (bytes > 0) arguments.emplace_back("bytes", bytes);
  return arguments;
}

}  // namespace

TimelinePes::TimelinePes(Observation& observation, TimelineRecorder& out)
    : out_(out), events_(observation.trace_events, *this), ops_(observation.executed_ops, *this),
      progress_(observation.message_progress, *this) {}

TimelinePes::Pe& TimelinePes::pe_of(const std::string& path) {
  const auto [entry, is_new] = pes_.try_emplace(path);
  Pe& pe = entry->second;
  if (is_new) {
    pe.path = path;
    pe.kernel_lanes = &out_.lanes(path, path + ".pe_cpu kernels", TimelineRank::kernel);
    pe.command_lanes = &out_.lanes(path, path + ".pe_scheduler commands", TimelineRank::command);
    pe.tile_lanes = &out_.lanes(path, path + ".pe_scheduler tiles", TimelineRank::tile);
  }
  return pe;
}

// --- Kernels

TimelinePes::RequestKey TimelinePes::key_of(const KernelLaunch& launch) {
  return {launch.correlation_id, launch.request_id,
          launch.targets.empty() ? 0 : launch.targets.front().sip};
}

void TimelinePes::launch_requested(const KernelLaunch& launch, Open request) {
  requests_[key_of(launch)] = request;
}

void TimelinePes::launch_reached(const std::string& path, const TieKey& key,
                                 const KernelLaunch& launch, Fs now) {
  Pe& pe = pe_of(path);
  launched_on_[key] = &pe;
  const auto request = requests_.find(key_of(launch));
  pe.launches.push_back({key, launch.kernel.name, std::max(launch.target_start.value_or(now), now),
                         request == requests_.end() ? 0 : request->second, launch.stream});
  begin_due(pe, now);
}

void TimelinePes::begin_due(Pe& pe, Fs now) {
  for (auto launch = pe.launches.begin(); launch != pe.launches.end(); ++launch) {
    const bool first_of_stream =
        std::none_of(pe.launches.begin(), launch,
                     [launch](const Launch& earlier) { return earlier.stream == launch->stream; });
    if (launch->begun || launch->start > now || !first_of_stream) continue;
    launch->begun = true;
    launch->slice = out_.begin(SliceKind::kernel, *pe.kernel_lanes, launch->start, launch->kernel,
                               {{"stream", launch->stream}},
                               out_.arrow(launch->request, launch->start, pe.path));
  }
}

void TimelinePes::launch_answered(const TieKey& key, Fs now) {
  const auto found = launched_on_.extract(key);
  if (!found) return;
  Pe& pe = *found.mapped();
  begin_due(pe, now);
  const auto launch = std::find_if(pe.launches.begin(), pe.launches.end(),
                                   [&key](const Launch& each) { return each.key == key; });
  if (launch == pe.launches.end() || !launch->begun) return;
  out_.end(launch->slice, now);
  const std::uint32_t stream = launch->stream;
  pe.launches.erase(launch);
  for (Launch& next : pe.launches) {
    if (next.stream == stream) next.start = std::max(next.start, now);
  }
  begin_due(pe, now);
}

TimelinePes::Open TimelinePes::running_on(Pe& pe, std::uint32_t stream, Fs now) {
  begin_due(pe, now);
  const auto first =
      std::find_if(pe.launches.begin(), pe.launches.end(),
                   [stream](const Launch& launch) { return launch.stream == stream; });
  return first == pe.launches.end() ? 0 : first->slice;
}

// --- Commands, tiles, stages

TimelinePes::Engine& TimelinePes::engine_of(const sc_core::sc_object& node) {
  Engine& engine = engines_[&node];
  if (engine.pe == nullptr) {
    engine.pe = &pe_of(scope_in_machine(node));
    engine.name = name_in_machine(node);
    by_name_[engine.name] = &engine;
  }
  return engine;
}

TimelinePes::Stage& TimelinePes::stage_of(Engine& engine, const char* stage) {
  const auto found = engine.stages.find(stage);
  if (found != engine.stages.end()) return found->second;
  TimelineLanes& lanes =
      out_.lanes(engine.pe->path, fmt::format("{} {}", engine.name, stage), rank_of_stage(stage));
  return engine.stages.emplace(stage, Stage{lanes, out_.windows.add_times(), 1, {}}).first->second;
}

void TimelinePes::write(const TraceEvent& event) {
  Engine& engine = engine_of(*event.node);
  Pe& pe = *engine.pe;
  switch (event.kind) {
    case TraceKind::command_submitted:
      pe.commands[event.command_id] = {event.time, event.stream, false, 0, {}};
      return;
    case TraceKind::sub_command_dispatched:
      return dispatched(pe, event);
    case TraceKind::engine_start:
      return stage_begins(engine, event);
    case TraceKind::engine_complete:
      return stage_ends(engine, event);
    case TraceKind::tile_ready:
      if (const auto tile = pe.tiles.extract({event.command_id, event.tile_id}))
        out_.end(tile.mapped(), event.time);
      return;
    case TraceKind::command_complete:
      return command_ends(pe, event);
  }
}

// The name of a command, its first stage or the composite, is known here.
void TimelinePes::dispatched(Pe& pe, const TraceEvent& event) {
  Command& command = pe.commands[event.command_id];
  const bool is_tile = event.tile_id >= 0;
  if (!command.begun) {
    const std::string name =
        fmt::format("{} #{}", is_tile ? "composite" : event.stage, event.command_id);
    const Open kernel = running_on(pe, command.stream, event.time);
    command.begun = true;
    command.slice = out_.begin(SliceKind::command, *pe.command_lanes, command.submitted, name,
                               arguments_of(event.command_id, -1, is_tile ? 0 : event.bytes),
                               out_.arrow(kernel, command.submitted, name));
  }
  if (!is_tile) return;
  const std::string name = fmt::format("tile {}", event.tile_id);
  pe.tiles[{event.command_id, event.tile_id}] =
      out_.begin(SliceKind::tile, *pe.tile_lanes, event.time, name,
                 arguments_of(event.command_id, event.tile_id, 0),
                 out_.arrow(command.slice, event.time, name));
}

// "GEMM 3" of tile 3; "GEMM" of a command without tiles.
void TimelinePes::stage_begins(Engine& engine, const TraceEvent& event) {
  Stage& stage = stage_of(engine, event.stage);
  const TileKey key{event.command_id, event.tile_id};
  const bool is_tile = event.tile_id >= 0;
  Open from = 0;
  if (is_tile) {
    if (const auto tile = engine.pe->tiles.find(key); tile != engine.pe->tiles.end())
      from = tile->second;
  } else if (const auto command = engine.pe->commands.find(event.command_id);
             command != engine.pe->commands.end()) {
    from = command->second.slice;
  }
  const std::string name = is_tile ? fmt::format("{} {}", event.stage, event.tile_id) : event.stage;
  stage.change(event.time);
  stage.services[key] = {event.time,
                         out_.begin(SliceKind::stage, stage.lanes, event.time, name,
                                    arguments_of(event.command_id, event.tile_id, event.bytes),
                                    out_.arrow(from, event.time, event.stage)),
                         {}};
}

void TimelinePes::Stage::change(Fs now) {
  if (now > changed) servers = std::max(servers, services.size());
  changed = now;
}

void TimelinePes::stage_ends(Engine& engine, const TraceEvent& event) {
  Stage& stage = stage_of(engine, event.stage);
  stage.change(event.time);
  const auto service = stage.services.extract({event.command_id, event.tile_id});
  if (!service) return;
  out_.windows.add_time(stage.busy, service.mapped().start, event.time);
  out_.end(service.mapped().slice, event.time, std::move(service.mapped().arguments));
}

void TimelinePes::command_ends(Pe& pe, const TraceEvent& event) {
  const auto found = pe.commands.extract(event.command_id);
  if (!found) return;
  TimelineArguments arguments;
  if (!found.mapped().op.empty()) arguments.emplace_back("op", found.mapped().op);
  out_.end(found.mapped().slice, event.time, std::move(arguments));
}

// --- Operations and messages

// Reported just before the event that ends the stage or the command.
void TimelinePes::write(const ExecutedOp& op) {
  const auto engine = engines_.find(op.node);
  if (engine != engines_.end() && add_to_stage(engine->second, op)) return;
  if (op.node != nullptr) draw_operation(op);
}

bool TimelinePes::add_to_stage(Engine& engine, const ExecutedOp& op) {
  for (auto& [name, stage] : engine.stages) {
    const auto service = stage.services.find({op.command_id, op.tile_id});
    if (service == stage.services.end() || service->second.start != op.t_start) continue;
    service->second.arguments.emplace_back("op", op.name);
    if (op.macs > 0) service->second.arguments.emplace_back("macs", op.macs);
    if (op.tile_id < 0) engine.pe->commands[op.command_id].op = op.name;
    return true;
  }
  const auto command = engine.pe->commands.find(op.command_id);
  if (command == engine.pe->commands.end()) return false;
  command->second.op = op.name;
  return true;
}

void TimelinePes::draw_operation(const ExecutedOp& op) {
  const std::string_view name = op.name;
  const std::string scope = scope_in_machine(*op.node);
  TimelineLanes*& lanes = operations_[op.node][name];
  if (lanes == nullptr)
    lanes = &out_.lanes(scope, fmt::format("{} {}", name_in_machine(*op.node), name),
                        TimelineRank::operation);
  const Open slice = out_.begin(SliceKind::operation, *lanes, op.t_start, op.name,
                                {{"stream", op.stream}, {"bytes", op.bytes}});
  TimelineArrowPoint arrow;
  if (name == "ipcq_send") {
    arrow.arrow = std::make_shared<TimelineArrow>();
    pe_of(scope).sent.push_back(arrow.arrow);
  } else if (name == "ipcq_recv") {
    if (Arrow consumed = std::exchange(pe_of(scope).consumed, nullptr))
      out_.arrive(slice, op.t_end, "received", std::move(consumed));
  }
  out_.end(slice, op.t_end, {}, std::move(arrow));
}

TimelinePes::Arrow TimelinePes::message_left(const IpcqMessage& message) {
  const auto pe = pes_.find(message.source.str());
  if (pe == pes_.end() || pe->second.sent.empty()) return nullptr;
  Arrow arrow = std::move(pe->second.sent.front());
  pe->second.sent.pop_front();
  return arrow;
}

void TimelinePes::message_ended(const IpcqMessage& message, Arrow arrow) {
  if (arrow == nullptr) return;
  arrows_[{message.installation, message.dst_addr, message.sender_seq}] = std::move(arrow);
}

void TimelinePes::write(const MessageProgress& step) {
  if (step.step != MessageProgress::Step::consumed) return;
  const auto arrow = arrows_.extract({step.installation, step.slot, step.number});
  pe_of(scope_in_machine(*step.node)).consumed = arrow.empty() ? nullptr : arrow.mapped();
}

std::optional<TimelinePes::StageOf> TimelinePes::dma_stage(const sc_core::sc_object& dma,
                                                           bool write, Fs start) const {
  const auto engine = engines_.find(&dma);
  if (engine == engines_.end()) return std::nullopt;
  const auto stage = engine->second.stages.find(write ? "DMA_WRITE" : "DMA_READ");
  if (stage == engine->second.stages.end()) return std::nullopt;
  for (const auto& [key, service] : stage->second.services) {
    if (service.start == start) return StageOf{key.first, key.second};
  }
  return std::nullopt;
}

// --- End of the run

void TimelinePes::close(Fs now) {
  for (auto& [path, pe] : pes_) begin_due(pe, now);
  for (auto& [name, engine] : by_name_) {
    for (auto& [stage_name, stage] : engine->stages) {
      stage.change(now);
      for (const auto& [key, service] : stage.services)
        out_.windows.add_time(stage.busy, service.start, now);
    }
  }
}

void TimelinePes::write_counters() const {
  for (const auto& [name, engine] : by_name_) {
    for (const auto& [stage_name, stage] : engine->stages)
      out_.share(engine->pe->path, stage.lanes.name + " busy", stage.busy.values, stage.servers);
  }
}

}  // namespace kernbench
