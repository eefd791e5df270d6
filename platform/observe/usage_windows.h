// Use of servers in parts of a run: while kernels ran, summed over the launches of each kernel and
// for each launch, and in windows of equal length.
//
// Each window costs two samples of the servers, so windows are optional and limited.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/doubled_times.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

// A window of kernels lasts from the start of a kernel, while no other one runs, to the response
// after which none runs: kernels and launches that run concurrently share a window.
class KernelWindows final : private tlm::tlm_analysis_if<KernelStart>,
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
  // Kernels in the order of first response; empty unless observed.
  const std::vector<Kernel>& kernels() const { return kernels_; }

  struct Launch {
    std::set<std::string> requests;  // ids of the launch messages
    Fs begin = 0, end = 0;           // first and last part
    Fs length = 0;
    SparseUse use;
  };
  // Launches in the order of their responses; empty unless observed.
  const std::vector<Launch>& launches() const { return launches_; }

 private:
  void write(const KernelStart& start) override;
  void write(const KernelRun& run) override;
  void add_launch(const SparseUse& use, Fs end);
  void add_kernel(const SparseUse& use, Fs end);

  const ServerTable& table_;
  const DoubledTimes& doubled_;
  std::vector<Kernel> kernels_;
  std::vector<Launch> launches_;
  bool has_kernels_ = false;
  std::size_t most_launches_ = 0;
  // Current window.
  std::size_t running_ = 0;  // kernels, each on a PE
  Fs began_ = 0;
  std::set<std::string> names_, requests_;
  ServerTable::Sample at_begin_;
  std::vector<Fs> saved_at_begin_;
  AnalysisBinding<KernelStart> starts_;
  AnalysisBinding<KernelRun> runs_;
};

// Windows of equal length over a run, at most 512, fewer on large machines. The length doubles each
// time the run outlasts them.
class UsageOverTime {
 public:
  // `table` outlives it.
  explicit UsageOverTime(const ServerTable& table);

  // Time of the next sample: the end of the current window.
  Fs next() const { return width_ * (windows_.size() + 1); }
  // Takes the sample at that time.
  void take();
  // Called at the end of the run: the last window may be shorter.
  void close();

  const std::vector<SparseUse>& windows() const { return windows_; }
  Fs width() const { return width_; }

 private:
  void double_width();

  const ServerTable& table_;
  std::size_t most_windows_;  // an even number
  Fs width_;
  ServerTable::Sample at_begin_;
  std::vector<SparseUse> windows_;
};

}  // namespace kernbench
