// Bottleneck: what limits the kernels of a run, and what twice as much of it would gain
// (spec 11.3).
//
// Of each resource (resources.h) the busiest server in the PE window, and two times: that of the
// window with twice as much of it, and a bound: with no end of it the window is no shorter. Both
// are estimates from one run, by the dependences of its operations (doubled_times.h), and no less
// than the busiest other server of kind `rate` is busy. Contention belongs to the servers of the
// fabric by the stalls before them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/observe/doubled_times.h"
#include "platform/observe/server_usage.h"
#include "platform/report/table.h"

namespace kernbench {

struct ResourceUse {
  ResourceId resource = no_resource;
  std::string busiest;  // server
  double busy = 0;      // its share of the window
  Fs stalled = 0;       // before all servers
  Fs twice = 0;         // window with twice as much
  Fs at_least = 0;      // with no end of it
};

class Bottleneck {
 public:
  // Observes `platform`, which outlives it.
  explicit Bottleneck(Platform& platform);

  // Without kernels: accesses from now on.
  void begin() { usage_.begin(); }
  void add(const MemoryAccess& access) { doubled_.add(access); }
  // The run has ended: works it out, up to now.
  void close();
  Fs window() const { return usage_.pe().length; }
  // Those with a gain or a busy server, by gain, then by busy share.
  const std::vector<ResourceUse>& uses() const { return uses_; }
  const Resource& resource(const ResourceUse& use) const { return resources_[use.resource]; }
  double gain(const ResourceUse& use) const;
  // Null: latency, no resource gains a tenth.
  const ResourceUse* limit() const;
  std::string verdict() const;
  // The verdict, and the busiest resources; empty: there was nothing.
  std::string text() const;
  Table busiest() const;
  nlohmann::ordered_json json() const;
  // Those that were used in the window; servers_json().
  nlohmann::ordered_json servers() const {
    return servers_json(usage_.table(), resources_, usage_.pe());
  }

 private:
  std::vector<ResourceUse> used(const UsageWindow& window) const;
  void estimate(std::vector<ResourceUse>& uses) const;

  Resources resources_;
  ServerUsage usage_;
  DoubledTimes doubled_;
  std::vector<ResourceUse> uses_;
};

}  // namespace kernbench
