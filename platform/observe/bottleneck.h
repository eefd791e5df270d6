// Bottleneck: works out the limits of a run (limits.h) while it goes on.
//
// Busy times and stalls are those of the servers in the PE window (server_usage.h). The window with
// twice as much of a resource is estimated by the dependences of operations (doubled_times.h), and
// is no less than the busiest other server of kind `rate` is busy. Contention belongs to the
// servers of the fabric by the stalls before them.
#pragma once

#include <optional>

#include "platform/observe/doubled_times.h"
#include "platform/observe/kernel_limits.h"
#include "platform/observe/limits.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

// Of a window in which the servers were used like that; `saved`: by resource, what twice as much of
// it saves, by dependences.
Limits limits_of(const ServerTable& table, const Resources& resources, const UsageWindow& window,
                 const std::vector<Fs>& saved, ResourceId contention);

class Bottleneck {
 public:
  // Observes `platform`, which outlives it.
  // `of_kernels`: of each kernel by itself, too.
  explicit Bottleneck(Platform& platform, bool of_kernels = false);

  // Without kernels: accesses from now on.
  void begin() { usage_.begin(); }
  void add(const MemoryAccess& access) { doubled_.add(access); }
  // The run has ended: up to now.
  void close();
  const LimitReport& report() const { return report_; }
  const KernelLimits* kernels() const {
    return kernels_ ? &*kernels_ : nullptr;
  }  // null: not asked
  const ServerUsage& usage() const { return usage_; }
  const Resources& resources() const { return resources_; }
  // Those that were used in the window; servers_json().
  nlohmann::ordered_json servers() const {
    return servers_json(usage_.table(), resources_, usage_.pe());
  }

 private:
  Resources resources_;
  ServerUsage usage_;
  DoubledTimes doubled_;
  std::optional<KernelLimits> kernels_;
  LimitReport report_;
};

}  // namespace kernbench
