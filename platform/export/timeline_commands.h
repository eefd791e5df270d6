// Commands of the PEs on a timeline, their tiles, and the stages of these on their engines. Arrows
// lead from a kernel to its commands, from a command to its tiles, from a tile to its stages; from
// a command without tiles to its stage.
//
// A stage lasts from the start to the end of its service, so that the slices of an engine's stage
// sum up to the engine's busy time. The share of time in which it serves is a counter.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "models/base/executed_op.h"
#include "models/base/trace_event.h"
#include "platform/export/timeline_counters.h"
#include "platform/export/timeline_kernels.h"
#include "platform/export/timeline_windows.h"

namespace kernbench {

class TimelineCommands final : public tlm::tlm_analysis_if<TraceEvent> {
 public:
  TimelineCommands(TimelineTracks& tracks, TimelineSlices& slices, TimelineKernels& kernels,
                   TimelineWindows& windows)
      : tracks_(tracks), slices_(slices), kernels_(kernels), windows_(windows) {}

  void write(const TraceEvent& event) override;
  // An operation of an engine that reports stages, or a command's; false: another one.
  bool executed(const ExecutedOp& op);

  // The stage under way on a PE_DMA since `start`.
  struct StageOf {
    std::uint64_t command = 0;
    std::int64_t tile = -1;  // -1: none
  };
  std::optional<StageOf> dma_stage(const sc_core::sc_object& dma, bool write, Fs start) const;

  // At the end of the run, before the slices are closed: busy times up to `now`.
  void close(Fs now);
  void write_counters(const TimelineCounters& counters) const;

 private:
  using TileKey = std::pair<std::uint64_t, std::int64_t>;  // command, tile
  struct Pe {
    Pe(TimelineTracks& tracks, std::string path_);
    std::string path;
    TimelineLanes command_lanes, tile_lanes;
    struct Command {
      Fs submitted = 0;
      bool begun = false;
      TimelineSlices::Open slice = 0;
      std::string op;
    };
    std::map<std::uint64_t, Command> commands;
    std::map<TileKey, TimelineSlices::Open> tiles;
  };
  struct Service {
    Fs start = 0;
    TimelineSlices::Open slice = 0;
    TimelineArguments arguments;  // known at its end
  };
  struct Stage {
    Stage(TimelineLanes lanes_, TimelineWindows::Series& busy_)
        : lanes(std::move(lanes_)), busy(busy_) {}
    TimelineLanes lanes;
    TimelineWindows::Series& busy;
    std::size_t servers = 1;  // seen at work at a time
    std::map<TileKey, Service> services;
  };
  struct Engine {
    Pe* pe = nullptr;
    std::map<std::string_view, Stage> stages;  // by name
  };

  Engine& engine_of(const sc_core::sc_object& node);
  Stage& stage_of(const sc_core::sc_object& node, Engine& engine, const char* stage);
  void dispatched(Pe& pe, const TraceEvent& event);
  void stage_begins(Engine& engine, const TraceEvent& event);
  void stage_ends(Engine& engine, const TraceEvent& event);
  void command_ends(Pe& pe, const TraceEvent& event);

  TimelineTracks& tracks_;
  TimelineSlices& slices_;
  TimelineKernels& kernels_;
  TimelineWindows& windows_;
  std::map<std::string, Pe> pes_;
  std::map<std::string, Engine*> by_name_;
  std::unordered_map<const sc_core::sc_object*, Engine> engines_;  // looked up only
};

}  // namespace kernbench
