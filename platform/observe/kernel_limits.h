// KernelLimits: limits of each kernel by itself (limits.h): of the stretches of a run in which
// launches of it ran, from the first command to the last answer, together.
//
// Kernels that run together share a stretch, named after all of them. Statistics of all servers are
// read twice for each stretch, which is why they are for those who ask.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/doubled_times.h"
#include "platform/observe/limits.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

class KernelLimits final : private tlm::tlm_analysis_if<TraceEvent>,
                           private tlm::tlm_analysis_if<KernelRun> {
 public:
  // Observes `platform`, which outlives it, as the others do; `doubled` has been bound before.
  KernelLimits(Platform& platform, const ServerTable& table, const Resources& resources,
               const DoubledTimes& doubled);

  struct Kernel {
    std::string name;  // "matmul", "a + b"
    UsageWindow window;
    std::vector<Fs> saved;  // by resource, with twice as much
  };
  // In the order of their first answers.
  const std::vector<Kernel>& kernels() const { return kernels_; }
  Limits limits(const Kernel& kernel) const;

 private:
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;

  const ServerTable& table_;
  const Resources& resources_;
  const DoubledTimes& doubled_;
  RunningKernels running_;
  std::vector<Kernel> kernels_;
  bool in_kernel_ = false;
  Fs began_ = 0;
  std::set<std::string> names_;  // of the stretch under way
  std::vector<ServerUse> use_;   // at its begin
  std::vector<Fs> saved_;        // at its begin
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<KernelRun> runs_;
};

}  // namespace kernbench
