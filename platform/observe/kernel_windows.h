// KernelWindows: use of servers while kernels ran, from the first command to the last answer:
// summed over the launches of each kernel, and for each launch.
//
// Kernels and launches that run concurrently share a window. Statistics of all servers are sampled
// twice per window: the cost is why kernels are optional, and launches limited.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/doubled_times.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

class KernelWindows final : private tlm::tlm_analysis_if<TraceEvent>,
                            private tlm::tlm_analysis_if<KernelRun> {
 public:
  // Observes `platform`. All arguments outlive it; `doubled` observes before it.
  KernelWindows(Platform& platform, const ServerTable& table, const DoubledTimes& doubled);

  void observe_kernels() { has_kernels_ = true; }
  void observe_launches();  // the first 256 at most

  struct Kernel {
    std::string name;  // "matmul", "a + b"
    UsageWindow window;
    std::vector<Fs> saved;  // by resource: time saved with twice as much of it
  };
  // Ordered by first answer; empty unless observed.
  const std::vector<Kernel>& kernels() const { return kernels_; }

  struct Launch {
    std::set<std::string> requests;  // ids of the launch messages
    Fs begin = 0, end = 0;
    SparseUse use;
  };
  // In the order of their answers; empty unless observed.
  const std::vector<Launch>& launches() const { return launches_; }

 private:
  void write(const TraceEvent& event) override;
  void write(const KernelRun& run) override;

  const ServerTable& table_;
  const DoubledTimes& doubled_;
  RunningKernels running_;
  std::vector<Kernel> kernels_;
  std::vector<Launch> launches_;
  bool has_kernels_ = false, in_kernel_ = false;
  std::size_t most_launches_ = 0;
  Fs began_ = 0;
  std::set<std::string> names_, requests_;  // of the current window
  std::vector<ServerUse> use_;              // at its start
  std::vector<Fs> saved_;                   // at its start
  AnalysisBinding<TraceEvent> events_;
  AnalysisBinding<KernelRun> runs_;
};

}  // namespace kernbench
