// EnergyAccount: energy of a run, by action and by place, of kernels and launches, and in windows
// of time (spec 11.8).
//
// Counters are read at borders: when a kernel starts or ends on a PE those of the PE, when the
// launches that run on a SIP change those of the SIP and of the system, at the end of a window all.
// Between two borders the energy of a part of the machine belongs to the kernels that ran there, in
// proportion to the time of their PEs; without one it is outside kernels.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/protocol/kernel_progress.h"
#include "platform/energy/energy_actions.h"

namespace kernbench {

// Energy in windows of equal length over a run, by channel (a SIP, a kind of component). The length
// doubles each time the run outlasts the windows.
class PowerWindows {
 public:
  using Energies = std::vector<double>;  // pJ, by channel

  // `most`: windows, an even number; `width`: of the first ones.
  PowerWindows(std::size_t channels, std::size_t most, Fs width)
      : most_(most), width_(width), open_(channels) {}

  // End of the open window.
  Fs next() const { return width_ * (windows_.size() + 1); }
  void take();

  // Adds energy that was consumed in the open window.
  void add(std::size_t channel, double pj) { open_[channel] += pj; }
  // Spreads energy evenly over [from, to), which ends in the open window at the latest.
  void spread(std::size_t channel, double pj, Fs from, Fs to);

  Fs width() const { return width_; }
  // Windows so far, including the open one.
  std::size_t size() const { return windows_.size() + 1; }
  const Energies& operator[](std::size_t window) const {
    return window < windows_.size() ? windows_[window] : open_;
  }

 private:
  std::size_t most_;
  Fs width_;
  Energies open_;
  std::vector<Energies> windows_;
};

class EnergyAccount final : private tlm::tlm_analysis_if<ExecutedOp>,
                            private tlm::tlm_analysis_if<KernelStart>,
                            private tlm::tlm_analysis_if<KernelRun> {
 public:
  // Observes `platform`. Both outlive it. Throws ConfigError for an unknown action of the table.
  EnergyAccount(Platform& platform, const EnergyTable& table);

  // Time of the next sample, and the sample.
  Fs next() const { return windows_.next(); }
  void sample();
  // Ends the account at the present time.
  void close();

  // --- After close()

  struct Energy {
    double dynamic_pj = 0, static_pj = 0;
    std::uint64_t macs = 0;
    Energy& operator+=(const Energy& other);
  };
  // Kernel of one launch message, on the PEs of a SIP.
  struct Execution {
    std::string kernel, request;
    Fs begin = never_fs, end = 0;
    Energy energy;
  };
  // In the order of their starts.
  const std::deque<Execution>& executions() const { return executions_; }
  const Energy& outside_kernels() const { return outside_; }

  Fs end() const { return end_; }
  const EnergyTable& table() const { return table_; }
  const EnergyActions& actions() const { return actions_; }
  // Counts by row of the actions; of static power the components.
  const std::vector<double>& counts() const { return counts_; }
  // By row; of static power over the run.
  double energy_of_row(std::size_t row) const { return row_pj_[row]; }
  const Energy& total() const { return total_; }
  // Bytes read and written in memories of the fabric, and of messages between PEs.
  std::uint64_t bytes_moved() const { return bytes_moved_; }

  struct Place {
    std::string name;   // "sip0", "sip0.cube1", "sip0.cube1.pe2"; "system": outside SIPs
    std::string level;  // "sip", "cube", "pe", "system"
    Energy energy;      // including places inside it
  };
  // By name, outer ones first.
  const std::vector<Place>& places() const { return places_; }

  struct Power {
    Fs begin = 0, end = 0;
    std::vector<double> w_of_sips;  // the system last
    std::vector<double> w_of_kinds;
  };
  std::vector<Power> power() const;
  const std::vector<EnergyKind>& kinds() const { return kinds_; }

 private:
  // Kernel that runs in a part.
  struct Running {
    Execution* execution = nullptr;
    std::uint64_t pes = 0;
    Fs since = 0;        // last change of `pes`
    double pe_time = 0;  // PEs times femtoseconds since the last border
    void pass(Fs now);
  };
  struct PartState {
    std::vector<std::uint64_t> read;  // last value of each counter
    Fs at = 0;                        // last border
    std::vector<Running> running;
  };

  void write(const ExecutedOp& op) override;
  void write(const KernelStart& start) override;
  void write(const KernelRun& run) override;
  void enter(std::size_t part, Execution& execution);
  void leave(std::size_t part, const Execution& execution);
  void settle(std::size_t part);
  void sum_up();
  void add_place(std::map<std::string, Place>& places, const EnergyPart& part, int cube,
                 const Energy& energy) const;
  std::size_t channel_of_kind(std::uint32_t row) const { return first_kind_ + kind_of_row_[row]; }
  std::size_t channel_of_part(std::size_t part) const;

  const EnergyTable& table_;
  EnergyActions actions_;
  std::vector<EnergyKind> kinds_;
  std::vector<std::size_t> kind_of_row_;
  std::size_t first_kind_;  // channels of the windows: SIPs, the system, kinds
  PowerWindows windows_;
  std::vector<PartState> states_;
  std::deque<Execution> executions_;
  std::map<std::string, Execution*> by_request_;
  Energy outside_, total_;
  std::vector<double> counts_, row_pj_;
  std::uint64_t bytes_moved_ = 0;
  std::vector<Place> places_;
  Fs end_ = 0;
  AnalysisBinding<ExecutedOp> ops_;
  AnalysisBinding<KernelStart> starts_;
  AnalysisBinding<KernelRun> runs_;
};

}  // namespace kernbench
