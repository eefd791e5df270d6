// Links and HBM pseudo-channels as counters of a timeline: for each cube (or SIP) and kind of link
// the mean and the busiest one, for each HBM controller the same over its channels; and the links
// and channels that were busy longest, each by name.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/protocol/observation.h"
#include "platform/assembly/platform.h"
#include "platform/export/timeline_counters.h"
#include "platform/topology/graph.h"

namespace kernbench {

class TimelineResources final : private tlm::tlm_analysis_if<LinkPassage>,
                                private tlm::tlm_analysis_if<HbmBooking> {
 public:
  static constexpr std::size_t most_hot = 32;

  // Observes `platform`; both outlive it.
  TimelineResources(Platform& platform, TimelineWindows& windows);

  void write_counters(const TimelineCounters& counters) const;

 private:
  using Series = TimelineWindows::Series;
  struct Hbm {
    std::string name;
    std::vector<Series*> channels;
  };
  // "sip0.cube0", "ucie_mesh" of all links from there.
  using LinkClass = std::pair<std::string, std::string>;

  void write(const LinkPassage& passage) override;
  void write(const HbmBooking& booking) override;
  LinkClass class_of(const Edge& edge) const;

  const Platform& platform_;
  TimelineWindows& windows_;
  std::unordered_map<const Link*, std::size_t> link_numbers_;  // looked up only
  std::vector<Series*> links_;  // in the order of the links; null: unused
  std::map<NodeId, Hbm> hbms_;
  AnalysisBinding<LinkPassage> passages_;
  AnalysisBinding<HbmBooking> bookings_;
};

}  // namespace kernbench
