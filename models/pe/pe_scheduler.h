// PE_SCHEDULER: the only dispatcher of a PE, and the only component that marks a command complete
// (spec 5, ADR-0014).
//
// Timing: overhead_ns once per command, back to back. A simple command then goes to its engine as a
// tile of one stage. The tiles of composites are fed by one feeder, command after command, never
// interleaved; the feeder alone waits while the queue of the first stage is full. It also waits
// where tiles would overtake: a composite whose tiles enter at FETCH begins when the tiles before
// it that entered at DMA_READ have been fetched; the pass of a kernel epilogue when all tiles
// before it are complete. After a fault the feeder continues to the end of the current output tile
// and then drops the rest of the command; a command that has failed before its dispatch drops
// everything. Parts: accel_slot (accel_slot_arbiter.h) and the tile buffers (tile_buffer_pool.h).
//
// Base class: a scheduler with other policies derives from it, its Parameters from these, and
// overrides dispatch_time() or may_dispatch().
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/component.h"
#include "models/base/log.h"
#include "models/base/parameter_set.h"
#include "models/pe/accel_slot_arbiter.h"
#include "models/pe/command_context.h"
#include "models/pe/task_ports.h"
#include "models/pe/tile_buffer_pool.h"
#include "models/protocol/machine_services.h"
#include "models/protocol/pe_services.h"
#include "models/protocol/ring_buffer.h"

namespace kernbench {

class PeScheduler : public Component,
                    private ServiceProvider<CommandRequest>,
                    private CommandListener,
                    private TaskOutputListener {
 public:
  static constexpr const char* description = "dispatcher of a PE: commands, tile plans, completion";
  static constexpr std::array roles{Role::pe_scheduler};
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
    Param<Fs> overhead{
        *this,
        Parameter::duration_ns("overhead_ns", "time per command", "spec 1.2").default_val(1)};
    Param<std::int64_t> tile_m{*this, tile("tile_m", "rows of a tile", 32)};
    Param<std::int64_t> tile_k{*this, tile("tile_k", "depth of a GEMM tile", 64)};
    Param<std::int64_t> tile_n{*this, tile("tile_n", "columns of a tile", 32)};
    Param<bool> shared_accel_slot{
        *this, Parameter::boolean("shared_accel_slot",
                                  "GEMM and MATH run one at a time; false: concurrently", "spec 5")
                   .default_val(true)};
    TileShape default_tile() const { return {*tile_m, *tile_k, *tile_n}; }

   private:
    static Parameter tile(const char* name, const char* description, int default_value) {
      return Parameter::integer(name, description, "", "spec 1.2")
          .default_val(default_value)
          .range("1", "1000000000");
    }
  };
  explicit PeScheduler(const ComponentInit& init);
  ~PeScheduler() override;

 protected:
  // Override points.
  //
  // Time from the start of a command's turn to its dispatch; called once per command.
  virtual Fs dispatch_time(const CommandContext& /*command*/) { return overhead_; }
  // Whether the dispatch of the first command begins now. `dispatched`: commands dispatched and not
  // complete. Called when a command arrives, is dispatched or completes.
  virtual bool may_dispatch(const CommandContext& /*command*/, std::size_t /*dispatched*/) {
    return true;
  }
  void declare_signals() override;

 private:
  tlm::tlm_sync_enum nb_transport_fw(CommandRequest& request, tlm::tlm_phase& phase) override;
  void b_transport(CommandRequest& request, sc_core::sc_time& delay) override;
  void transport_dbg(CommandRequest& request) override;

  void submit(CommandRequest& request);
  CommandContext& new_context(std::uint64_t id);
  void check_fits(const TilePlan& plan);
  void step();
  void run();
  void serve_inbox();
  void begin_dispatch();
  void dispatch(CommandContext& context);
  void feed();
  bool may_feed(const CommandContext& context, const Tile& next) const;
  TileTask& new_task(CommandContext& context, bool simple);
  void send(TileTask& task);
  void send_waiting(StageType type);

  void stage_ended(CommandContext& context, TileTask& task) override;
  void tile_completed(CommandContext& context, TileTask& task) override;
  void task_taken(TileTask& task) override;
  void end_if_complete(CommandContext& context);
  void record(const CommandContext& context);
  void show_commands();
  void trace(TraceKind kind, std::uint64_t command, std::int64_t tile, std::uint64_t bytes,
             const char* stage = "", std::uint32_t stream = 0) {
    if (trace_events_.observed())
      trace_events_.write({kind, now(), this, command, tile, bytes, stage, stream});
  }
  void wake() { step_.notify(sc_core::SC_ZERO_TIME); }

  MachineServices& machine_;
  const AnalysisPort<TraceEvent>& trace_events_;
  Fs overhead_;
  TileShape default_tile_;

  struct Signals {
    TraceSignal &inbox, &in_flight, &feeding;
  };
  std::optional<Signals> signals_;  // set when requested

  // Members that every command touches are contiguous.
  //
  // Commands: submitted (inbox_), being dispatched (until due_), in flight (contexts_ holds all of
  // these).
  SmallVector<CommandContext*, 2> contexts_;  // by command id
  SmallVector<CommandContext*, 2> idle_contexts_;
  SmallVector<TileTask*, 2> idle_tasks_;
  RingBuffer<CommandContext*, 2> inbox_;
  Fs due_ = never_fs;
  Fs dispatch_began_ = 0;          // start of the dispatch that ends at due_
  std::uint64_t dispatching_ = 0;  // time in earlier dispatches
  RingBuffer<CommandContext*> feeds_;
  TileTask* feeding_ = nullptr;  // offered to the engine of its first stage
  std::uint64_t unfetched_ = 0;  // tiles that entered at DMA_READ and have not been fetched
  std::uint64_t submitted_ = 0, completed_ = 0, failed_ = 0, tiles_ = 0;

  // Tasks in transfer to an engine, per stage type: the first one has been offered.
  std::array<bool, stage_type_count> offered_{};
  std::array<RingBuffer<TileTask*, 2>, stage_type_count> outgoing_;
  TaskOutputs outputs_;

  sc_core::sc_event timer_, step_;
  std::vector<std::unique_ptr<CommandContext>> all_contexts_;
  std::vector<std::unique_ptr<TileTask>> tasks_;
  // Next tile of feeds_.front(). It is large, and therefore after the members that every command
  // touches.
  std::optional<Tile> next_tile_;
  AccelSlotArbiter accel_slot_;
  TileBufferPool buffers_;

  ServiceTarget<CommandRequest> commands_{*this, *this};
  ServiceInitiator<RegisterRequest> to_fetch_store_;
  ServiceInitiator<DmaRequest> to_dma_;
  Log log_{*this};
};

}  // namespace kernbench
