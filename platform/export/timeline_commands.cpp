#include "platform/export/timeline_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/assembly/machine_root.h"

namespace kernbench {
namespace {

std::uint32_t rank_of_stage(std::string_view stage) {
  constexpr std::array<std::string_view, 6> way{"DMA_READ", "FETCH", "GEMM",
                                                "MATH",     "STORE", "DMA_WRITE"};
  return TimelineRank::stage +
         static_cast<std::uint32_t>(std::find(way.begin(), way.end(), stage) - way.begin());
}

// "GEMM 3" of tile 3; "GEMM" of a command without tiles.
std::string name_of_stage(const TraceEvent& event) {
  return event.tile_id < 0 ? event.stage : fmt::format("{} {}", event.stage, event.tile_id);
}

TimelineArguments arguments_of(std::uint64_t command, std::int64_t tile, std::uint64_t bytes) {
  TimelineArguments arguments{{"command", command}};
  if (tile >= 0) arguments.emplace_back("tile", static_cast<std::uint64_t>(tile));
  if (bytes > 0) arguments.emplace_back("bytes", bytes);
  return arguments;
}

}  // namespace

TimelineCommands::Pe::Pe(TimelineTracks& tracks, std::string path_)
    : path(std::move(path_)),
      command_lanes(tracks, path, path + ".pe_scheduler commands", TimelineRank::command),
      tile_lanes(tracks, path, path + ".pe_scheduler tiles", TimelineRank::tile) {}

TimelineCommands::Engine& TimelineCommands::engine_of(const sc_core::sc_object& node) {
  Engine& engine = engines_[&node];
  if (engine.pe == nullptr) {
    const std::string path = scope_in_machine(node);
    engine.pe = &pes_.try_emplace(path, tracks_, path).first->second;
    by_name_[name_in_machine(node)] = &engine;
  }
  return engine;
}

TimelineCommands::Stage& TimelineCommands::stage_of(const sc_core::sc_object& node, Engine& engine,
                                                    const char* stage) {
  const auto found = engine.stages.find(stage);
  if (found != engine.stages.end()) return found->second;
  TimelineLanes lanes(tracks_, engine.pe->path, fmt::format("{} {}", name_in_machine(node), stage),
                      rank_of_stage(stage));
  return engine.stages.try_emplace(stage, std::move(lanes), windows_.add_times()).first->second;
}

void TimelineCommands::write(const TraceEvent& event) {
  Engine& engine = engine_of(*event.node);
  Pe& pe = *engine.pe;
  switch (event.kind) {
    case TraceKind::command_submitted:
      pe.commands[event.command_id].submitted = event.time;
      return;
    case TraceKind::sub_command_dispatched:
      return dispatched(pe, event);
    case TraceKind::engine_start:
      return stage_begins(engine, event);
    case TraceKind::engine_complete:
      return stage_ends(engine, event);
    case TraceKind::tile_ready:
      if (const auto tile = pe.tiles.extract({event.command_id, event.tile_id}))
        slices_.end(tile.mapped(), event.time);
      return;
    case TraceKind::command_complete:
      return command_ends(pe, event);
  }
}

// A command is named by its first stage, or as a composite: known here.
void TimelineCommands::dispatched(Pe& pe, const TraceEvent& event) {
  Pe::Command& command = pe.commands[event.command_id];
  const bool is_tile = event.tile_id >= 0;
  if (!command.begun) {
    const std::string name =
        fmt::format("{} #{}", is_tile ? "composite" : event.stage, event.command_id);
    const TimelineFlows flows = slices_.arrow(kernels_.running_on(pe.path, event.time),
                                              command.submitted, name, SliceKind::command);
    command.begun = true;
    command.slice =
        slices_.begin(SliceKind::command, pe.command_lanes, command.submitted, name,
                      arguments_of(event.command_id, -1, is_tile ? 0 : event.bytes), flows);
  }
  if (!is_tile) return;
  const std::string name = fmt::format("tile {}", event.tile_id);
  const TimelineFlows flows = slices_.arrow(command.slice, event.time, name, SliceKind::tile);
  pe.tiles[{event.command_id, event.tile_id}] =
      slices_.begin(SliceKind::tile, pe.tile_lanes, event.time, name,
                    arguments_of(event.command_id, event.tile_id, 0), flows);
}

void TimelineCommands::stage_begins(Engine& engine, const TraceEvent& event) {
  Stage& stage = stage_of(*event.node, engine, event.stage);
  const TileKey key{event.command_id, event.tile_id};
  TimelineSlices::Open from = 0;
  if (event.tile_id >= 0) {
    if (const auto tile = engine.pe->tiles.find(key); tile != engine.pe->tiles.end())
      from = tile->second;
  } else if (const auto command = engine.pe->commands.find(event.command_id);
             command != engine.pe->commands.end()) {
    from = command->second.slice;
  }
  const TimelineFlows flows = slices_.arrow(from, event.time, event.stage, SliceKind::stage);
  stage.services[key] = {
      event.time,
      slices_.begin(SliceKind::stage, stage.lanes, event.time, name_of_stage(event),
                    arguments_of(event.command_id, event.tile_id, event.bytes), flows),
      {}};
  stage.servers = std::max(stage.servers, stage.services.size());
}

void TimelineCommands::stage_ends(Engine& engine, const TraceEvent& event) {
  Stage& stage = stage_of(*event.node, engine, event.stage);
  const auto service = stage.services.extract({event.command_id, event.tile_id});
  if (!service) return;
  windows_.add_time(stage.busy, service.mapped().start, event.time);
  slices_.end(service.mapped().slice, event.time, std::move(service.mapped().arguments));
}

void TimelineCommands::command_ends(Pe& pe, const TraceEvent& event) {
  const auto found = pe.commands.extract(event.command_id);
  if (!found) return;
  TimelineArguments arguments;
  if (!found.mapped().op.empty()) arguments.emplace_back("op", found.mapped().op);
  slices_.end(found.mapped().slice, event.time, std::move(arguments));
}

// Reported just before the event that ends the stage or the command.
bool TimelineCommands::executed(const ExecutedOp& op) {
  const auto engine = engines_.find(op.node);
  if (engine == engines_.end()) return false;
  for (auto& [name, stage] : engine->second.stages) {
    const auto service = stage.services.find({op.command_id, op.tile_id});
    if (service == stage.services.end() || service->second.start != op.t_start) continue;
    service->second.arguments.emplace_back("op", op.name);
    if (op.macs > 0) service->second.arguments.emplace_back("macs", op.macs);
    if (op.tile_id < 0) engine->second.pe->commands[op.command_id].op = op.name;
    return true;
  }
  const auto command = engine->second.pe->commands.find(op.command_id);
  if (command == engine->second.pe->commands.end()) return false;
  command->second.op = op.name;
  return true;
}

std::optional<TimelineCommands::StageOf> TimelineCommands::dma_stage(const sc_core::sc_object& dma,
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

void TimelineCommands::close(Fs now) {
  for (auto& [name, engine] : by_name_) {
    for (auto& [stage_name, stage] : engine->stages) {
      for (const auto& [key, service] : stage.services)
        windows_.add_time(stage.busy, service.start, now);
    }
  }
}

void TimelineCommands::write_counters(const TimelineCounters& counters) const {
  for (const auto& [name, engine] : by_name_) {
    for (const auto& [stage_name, stage] : engine->stages) {
      counters.share(engine->pe->path, stage.lanes.name() + " busy", TimelineRank::busy,
                     stage.busy.values, stage.servers);
    }
  }
}

}  // namespace kernbench
