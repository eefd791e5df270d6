// Bottleneck: estimates the limits (limits.h) of a run in progress.
//
// Busy and stall times are those of the servers in the PE window (server_usage.h). The length of
// the window with twice as much of a resource follows from the dependences of operations
// (doubled_times.h); it is at least the busy time of any other server of kind `rate`. Contention is
// attributed to the servers of the fabric in proportion to their stall times.
#pragma once

#include <optional>

#include "platform/observe/doubled_times.h"
#include "platform/observe/kernel_windows.h"
#include "platform/observe/limits.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

class Bottleneck {
 public:
  // Observes `platform`, which outlives it.
  // `of_kernels`: also per kernel.
  explicit Bottleneck(Platform& platform, bool of_kernels = false);

  // For a machine without kernels: the window starts now.
  void begin() { usage_.begin(); }
  void add(const MemoryAccess& access) { doubled_.add(access); }
  // At the end of the run.
  void close();
  const LimitReport& report() const { return report_; }
  // Null: not `of_kernels`.
  const KernelWindows* kernels() const { return kernels_ ? &*kernels_ : nullptr; }
  const ServerUsage& usage() const { return usage_; }
  const Resources& resources() const { return resources_; }
  // servers_json() of the PE window.
  nlohmann::ordered_json servers() const {
    return servers_json(usage_.table(), resources_, usage_.pe());
  }

 private:
  Resources resources_;
  ServerUsage usage_;
  DoubledTimes doubled_;
  std::optional<KernelWindows> kernels_;
  LimitReport report_;
};

}  // namespace kernbench
