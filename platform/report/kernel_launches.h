// KernelLaunches: launches of a run with their rooflines, grouped by kernel, and each of them where
// a report lists launches.
//
// A launch that is not listed takes no memory once it is in its group.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/events/machine_events.h"
#include "platform/observe/kernel_work.h"

namespace kernbench {

struct ReportedLaunch {
  std::string kernel;
  std::string devices;                      // "sip0"
  std::map<std::string, std::string> meta;  // of the program
  KernelMetrics merged;                     // by max over the PEs
  MetricsOfPes per_pe;
  std::map<PeId, Fs> start;          // of the kernel; of PEs that report it
  std::optional<Roofline> roofline;  // of all its PEs; none: one does not report it
  std::map<std::string, CompositeTimes> composites;
};

// Launches of one kernel.
struct KernelGroup {
  std::string kernel;
  std::size_t launches = 0, pes = 0;               // different PEs
  Fs shortest = never_fs, longest = 0, total = 0;  // pe_exec of the launches
  Fs dma = 0, compute = 0;                         // sums
  std::string slowest;                             // PE with the longest pe_exec
  std::size_t rated = 0;                           // launches with a roofline
  Roofline roofline;                               // of these together
  std::map<std::string, CompositeTimes> composites;
};

class KernelLaunches final : private tlm::tlm_analysis_if<LaunchEnd> {
 public:
  // `lists`: launches() has each of them.
  KernelLaunches(MachineEvents& events, bool lists)
      : work_(events.platform()), lists_(lists), ends_(events.launch_ends, *this) {}

  void close();  // the run has ended
  const std::vector<ReportedLaunch>& launches() const { return launches_; }
  const std::vector<KernelGroup>& groups() const { return groups_; }  // in order of first launches

 private:
  void write(const LaunchEnd& launch) override;
  void take(LaunchEnd& launch);
  void add_to_group(const ReportedLaunch& launch);
  ReportedLaunch rated(LaunchEnd& launch) const;

  KernelWork work_;
  bool lists_;
  std::deque<LaunchEnd> recent_;
  std::vector<ReportedLaunch> launches_;
  std::vector<KernelGroup> groups_;
  std::map<std::string, std::size_t> index_;  // of a kernel's group
  std::map<std::string, std::set<PeId>> pes_;
  AnalysisBinding<LaunchEnd> ends_;
};

}  // namespace kernbench
