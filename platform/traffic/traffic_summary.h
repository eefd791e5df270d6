// Summary of a traffic experiment: makespan, rates, the busiest links, latency by distance.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/histogram.h"
#include "platform/assembly/platform.h"
#include "platform/observe/transfer_path.h"
#include "platform/traffic/traffic_links.h"
#include "platform/traffic/traffic_result.h"

namespace kernbench {

class TrafficSummary {
 public:
  explicit TrafficSummary(Platform& platform) : platform_(platform), links_(platform) {}

  void begin() { links_.begin(); }  // at the time of the first request
  void add(const TrafficResult& result);
  // Latency parts, beside add(); the summary then shows their means.
  void add_parts(const TrafficResult& result, const LatencyParts& parts);

  // All of it up to now, units in the key names; utilisations are shares of the time since the
  // first request; links by descending utilisation, at most `links` of them.
  nlohmann::ordered_json json(std::size_t links = 10) const;
  std::string text() const;
  const TrafficLinks& links() const { return links_; }

 private:
  struct ByDistance {
    std::uint64_t bytes = 0;
    Histogram latency_fs;
    LatencyParts parts;
  };
  ByDistance& distance_of_result(const TrafficResult& result);
  Fs makespan() const { return requests_ == 0 ? 0 : last_end_ - first_issue_; }

  Platform& platform_;
  TrafficLinks links_;
  std::uint64_t requests_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  Fs first_issue_ = never_fs;
  Fs last_end_ = 0;
  bool has_parts_ = false;
  std::array<ByDistance, distance_class_count> by_distance_;
};

}  // namespace kernbench
