// MachineEvents: events of a machine in simulation, with the rows of its run (run_rows.h).
//
// Rows are written at the end, by close(). Windows beyond `pe` and `host` exist only for reports
// that request them before the run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/base/end_of_timestep.h"
#include "models/base/instant_order.h"
#include "models/protocol/tie_key.h"
#include "platform/assembly/run.h"
#include "platform/energy/energy_account.h"
#include "platform/events/event_source.h"
#include "platform/events/launch_work.h"
#include "platform/observe/activity_windows.h"
#include "platform/observe/doubled_times.h"
#include "platform/observe/latency_breakdown.h"
#include "platform/observe/run_statistics.h"
#include "platform/observe/statistics_regions.h"
#include "platform/observe/usage_windows.h"

namespace kernbench {

// Call of torch.distributed on a rank; a call that begins has the id 0.
struct HostCall {
  enum class Step : std::uint8_t { begin, end };
  Step step = Step::begin;
  std::uint64_t id = 0;
  int rank = 0;
  std::string name, details;  // "all_reduce", "ring_allreduce, 4096 B"
};

// Writes a row for each memory transfer of a machine that has ended, and one for each of its hops.
//
// A transfer lasts from the grant of its DMA channel, or from its issue by the host, to the arrival
// of its response, or to its commit if it has none. Rows are written when its transaction is
// released, which is not before its end; those of one instant by initiator, then by transaction.
class TransferProbe final : private tlm::tlm_analysis_if<TransactionEnd>,
                            private EndOfTimestep::Listener {
 public:
  // Observes `platform`; rows go to `events`. Both outlive it.
  TransferProbe(Platform& platform, EventSource& events);

  void close();  // writes the rows of the present instant

 private:
  struct Transfer {
    TieKey key;
    TransferRow row;  // without its id
    TransferPath path;
  };
  struct Order {
    bool operator()(const Transfer& a, const Transfer& b) const {
      return std::tie(a.key.initiator, a.key) < std::tie(b.key.initiator, b.key);
    }
  };
  void write(const TransactionEnd& end) override;
  void end_of_timestep() override { close(); }
  void write_rows(Transfer transfer);
  std::uint64_t id_of(FabricPlace place);

  const Graph& graph_;
  EndOfTimestep& end_of_timestep_;
  EventSource& events_;
  LatencyBreakdown breakdown_;
  InstantOrder<Transfer, Order> instant_;     // released, not yet written
  std::vector<std::uint64_t> nodes_, links_;  // ids of places; 0: none yet
  std::uint64_t places_ = 0, transfers_ = 0;
  AnalysisBinding<TransactionEnd> ends_;
};

class MachineEvents final : public EventSource {
 public:
  // Observes `platform`, which outlives it.
  explicit MachineEvents(Platform& platform);

  Platform& platform() { return platform_; }

  // --- Requests of reports, before the run
  void observe_kernels();                          // windows "kernel NAME"
  void observe_launches();                         // windows "launch N"
  void observe_time();                             // windows "time N"
  void observe_regions() { has_regions_ = true; }  // windows "region LABEL"
  void observe_transfers();                        // rows of transfers and their hops
  void observe_launch_work();                      // rated_launches, and rows of their work
  // Rows of energy and power. `table` outlives the run. Throws ConfigError for an action of it that
  // the machine lacks.
  void observe_energy(const EnergyTable& table) { energy_.emplace(platform_, table); }

  // --- Events of the host program
  AnalysisPort<LaunchEnd> launch_ends;
  AnalysisPort<RatedLaunch> rated_launches;  // later than launch_ends, in the same order
  AnalysisPort<HostCall> host_calls;
  // Number of a transfer in a file of requests; empty: transfers have no numbers.
  std::function<std::optional<std::uint32_t>(const TieKey& key, NodeId initiator)> request_number;
  void launch_ended(LaunchEnd launch);
  void reset_region(Fs now);
  void dump_region(const std::string& label, Fs now);
  // For a machine without kernels: the window `pe` starts now.
  void begin();
  void add(const CompletedAccess& access) { doubled_.add(access); }

  // --- The run
  void add_samples_to(RunLimits& limits);
  // Writes the rows. `simulated`: the end of the program, or the time at which the run stopped.
  void close(Fs simulated, const RunResult& result);

  // Valid after close().
  RunStatus status() const { return status_; }
  // Text of a failure; empty: none.
  const std::string& failure() const { return failure_; }
  const RunStatistics& statistics() const { return *statistics_; }
  const StatisticsRegions* regions() const {
    return regions_ ? &*regions_ : nullptr;
  }  // null: none

 private:
  KernelWindows& kernel_windows();
  StatisticsRegions* marked_regions();
  void write_statistics();
  void write_windows();
  void write_window(const std::string& name, const UsageWindow& window);
  void write_window(WindowRow row, const SparseUse& use);
  void write_servers();
  void write_limits();
  void write_limits(const std::string& window, const UsageWindow& use, const std::vector<Fs>& saved,
                    bool is_estimated);
  std::string launch_of(const std::set<std::string>& requests) const;
  void write_energy();
  void write_energy_of_kernels();
  void write_power();

  Platform& platform_;
  ActivityWindows activity_;
  Resources resources_;
  ServerUsage usage_;
  DoubledTimes doubled_;
  std::optional<KernelWindows> kernels_;
  std::optional<UsageOverTime> time_;
  bool has_regions_ = false;
  std::optional<StatisticsRegions> regions_;  // from the first mark on
  std::optional<TransferProbe> transfers_;
  std::optional<LaunchWork> launch_work_;
  std::optional<EnergyAccount> energy_;
  std::map<std::string, std::uint64_t> launches_;  // numbers of launches, by request
  std::uint64_t launch_count_ = 0;
  RunStatus status_ = RunStatus::completed;
  std::string failure_;
  std::optional<RunStatistics> statistics_;
  std::uint64_t windows_ = 0;
  AnalysisBinding<ExecutedOp> ops_;
};

}  // namespace kernbench
