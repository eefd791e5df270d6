// StatisticsRegions: statistics of the machine between two marks of the host program (spec 11.3,
// torch.stats).
//
// Activity in progress at a mark, or booked ahead on a link or a pseudo-channel, is split there:
// its time before the mark counts before it (spec 11.3). A region begins with the run or at the
// last reset. A dump reports the difference since then and does not end the region. Values that are
// not sums, such as the high-water mark of a queue, have no difference and are left out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/observe/component_statistics.h"
#include "platform/observe/server_usage.h"

namespace kernbench {

class StatisticsRegions {
 public:
  explicit StatisticsRegions(const Platform& platform);

  // The first region begins with the run, even if this object was created later.
  void begin_with_run();
  // Both act at the present time.
  void reset(Fs now);
  void dump(const std::string& label, Fs now);

  // [{"label", "from_ns", "to_ns", "totals": {KIND: {...}}, "links": {KIND: {"bytes", "flits",
  // "control_messages", "busy_ns"}}}] in the order of the dumps; of kinds of components and edges
  // that did something.
  const nlohmann::ordered_json& json() const { return regions_; }
  struct Region {
    std::string label;
    UsageWindow window;
  };
  const std::vector<Region>& regions() const { return windows_; }

 private:
  template <class Visit>
  void for_each_counter(Visit visit) const;

  const Platform& platform_;
  std::vector<Component*> components_;  // by name
  Fs begin_ = 0;
  std::vector<std::uint64_t> at_begin_;  // in the order of the counters
  RatiosByKind ratios_at_begin_;
  Resources resources_;
  ServerTable servers_;
  ServerTable::Sample use_at_begin_;
  std::vector<Region> windows_;
  nlohmann::ordered_json regions_ = nlohmann::ordered_json::array();
};

}  // namespace kernbench
