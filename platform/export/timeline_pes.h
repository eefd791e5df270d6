// Work of the PEs on a timeline: kernels, commands with their tiles and stages, IPCQ operations.
// Arrows lead from the host's launch request to its kernels, from a kernel to its commands, from a
// command to its tiles, from a tile to its stages (from a command without tiles to its stage), and
// from a send by its message to the receive that consumes it.
//
// A kernel lasts from the target_start of its launch to its response; kernels of a stream run in
// series. A launch arrives at a PE before its target_start. Its slice is written with the next
// command, response or end of run after that time, so no slice starts after the end of a run. A
// stage lasts from the start to the end of its service, so the slices of an engine's stage sum up
// to the engine's busy time. The utilisation of the stage is a counter.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "models/protocol/host_messages.h"
#include "models/protocol/ipcq.h"
#include "models/protocol/observation.h"
#include "models/protocol/transaction.h"
#include "platform/export/timeline_recorder.h"

namespace kernbench {

class TimelinePes final : private tlm::tlm_analysis_if<TraceEvent>,
                          private tlm::tlm_analysis_if<ExecutedOp>,
                          private tlm::tlm_analysis_if<MessageProgress> {
 public:
  using Open = TimelineRecorder::Open;

  // Both arguments outlive it.
  TimelinePes(Observation& observation, TimelineRecorder& out);

  // --- Calls by the observer of transactions

  // Records a launch; the host's request is the open slice.
  void launch_requested(const KernelLaunch& launch, Open request);
  // Records the arrival of the launch at the pe_cpu of a PE, by the transaction `key`.
  void launch_reached(const std::string& pe, const TieKey& key, const KernelLaunch& launch, Fs now);
  // Records the response of a launch; ignores transactions that are not launches.
  void launch_answered(const TieKey& key, Fs now);
  using Arrow = std::shared_ptr<TimelineArrow>;
  // Arrow of a message that leaves its sender; null: none.
  Arrow message_left(const IpcqMessage& message);
  // Records the release of the message: it was written to its slot, or dropped.
  void message_ended(const IpcqMessage& message, Arrow arrow);

  // Stage in service on a PE_DMA since `start`.
  struct StageOf {
    std::uint64_t command = 0;
    std::int64_t tile = -1;  // -1: none
  };
  std::optional<StageOf> dma_stage(const sc_core::sc_object& dma, bool write, Fs start) const;

  // Called at the end of the run, before the slices are ended: writes kernels and busy times up to
  // `now`.
  void close(Fs now);
  void write_counters() const;

 private:
  using RequestKey = std::tuple<std::string, std::string, int>;  // correlation, request, SIP
  using TileKey = std::pair<std::uint64_t, std::int64_t>;        // command, tile
  // installation, slot, number
  using MessageKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

  struct Launch {
    TieKey key;
    std::string kernel;
    Fs start;  // earliest start
    Open request;
    std::uint32_t stream = 0;
    bool begun = false;
    Open slice = 0;
  };
  struct Command {
    Fs submitted = 0;
    std::uint32_t stream = 0;  // of its kernel
    bool begun = false;
    Open slice = 0;
    std::string op;
  };
  struct Pe {
    std::string path;
    TimelineLanes *kernel_lanes, *command_lanes, *tile_lanes;
    std::deque<Launch> launches;  // the first of each stream runs
    std::map<std::uint64_t, Command> commands;
    std::map<TileKey, Open> tiles;
    std::deque<Arrow> sent;  // arrows of sends whose message has not left
    Arrow consumed;          // arrow of the message consumed last
  };
  struct Service {
    Fs start = 0;
    Open slice = 0;
    TimelineArguments arguments;  // known at the end
  };
  struct Stage {
    TimelineLanes& lanes;
    TimelineWindows::Series& busy;
    std::size_t servers = 1;  // maximum of concurrent services between two instants
    std::map<TileKey, Service> services;
    Fs changed = 0;       // last change of the services
    void change(Fs now);  // before a change
  };
  struct Engine {
    Pe* pe = nullptr;
    std::string name;
    std::map<std::string_view, Stage> stages;  // stages by name
  };

  void write(const TraceEvent& event) override;
  void write(const ExecutedOp& op) override;
  void write(const MessageProgress& step) override;

  Pe& pe_of(const std::string& path);
  Engine& engine_of(const sc_core::sc_object& node);
  Stage& stage_of(Engine& engine, const char* stage);

  // Kernel of the stream; 0: none runs.
  Open running_on(Pe& pe, std::uint32_t stream, Fs now);
  // Begins the slices of kernels that run, if their start has passed.
  void begin_due(Pe& pe, Fs now);
  void dispatched(Pe& pe, const TraceEvent& event);
  void stage_begins(Engine& engine, const TraceEvent& event);
  void stage_ends(Engine& engine, const TraceEvent& event);
  void command_ends(Pe& pe, const TraceEvent& event);
  // Completes the stage or the command that the operation belongs to. Returns false if there is
  // none.
  static bool add_to_stage(Engine& engine, const ExecutedOp& op);
  void draw_operation(const ExecutedOp& op);
  static RequestKey key_of(const KernelLaunch& launch);

  TimelineRecorder& out_;
  std::map<std::string, Pe> pes_;  // PEs by path
  std::map<std::string, Engine*> by_name_;
  std::unordered_map<const sc_core::sc_object*, Engine> engines_;  // looked up only
  std::unordered_map<const sc_core::sc_object*, std::map<std::string_view, TimelineLanes*>>
      operations_;  // operations of engines without stages, by name; looked up only
  std::map<RequestKey, Open> requests_;
  std::map<TieKey, Pe*> launched_on_;
  std::map<MessageKey, Arrow> arrows_;  // arrows of messages not yet consumed
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<MessageProgress> progress_;
};

}  // namespace kernbench
