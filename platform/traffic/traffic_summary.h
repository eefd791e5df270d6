// Summary of a traffic experiment: makespan, rates, the busiest links, latency by distance.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "models/base/histogram.h"
#include "models/noc/link.h"
#include "platform/assembly/machine_modules.h"
#include "platform/assembly/platform.h"
#include "platform/observe/transfer_path.h"
#include "platform/topology/graph.h"
#include "platform/traffic/traffic_request.h"

namespace kernbench {

// Traffic of the links from the first request until now, over all initiators.
class TrafficLinks {
 public:
  explicit TrafficLinks(const Platform& platform) : platform_(platform) {}

  // Called at the issue time of the first request.
  void begin();
  Fs elapsed() const { return begun_ ? Component::now() - begin_ : 0; }

  struct LinkRow {
    const Edge* edge = nullptr;
    Link::Statistics carried;
  };
  // Rows in the order of the graph's edges; none before the first request.
  std::vector<LinkRow> links() const;
  // At most `most` links by descending busy time; idle ones are omitted.
  std::vector<LinkRow> busiest(std::size_t most) const;

  // {"src", "dst", "kind", "bw_gbs", "bytes", "gbs", "utilisation", "flits", "control_messages",
  // "busy_ns"}
  nlohmann::ordered_json json_of(const LinkRow& link) const;
  // All links, one row each: with the keys of json_of() as columns, or as {"elapsed_ns", "links":
  // [...]}.
  void write_csv(std::ostream& out) const;
  void write_json(std::ostream& out) const;

 private:
  const Platform& platform_;
  bool begun_ = false;
  Fs begin_ = 0;
  std::vector<Link::Statistics> at_begin_;  // in the order of the links
};

double rate_gbs(std::uint64_t bytes, Fs time);

class TrafficSummary {
 public:
  explicit TrafficSummary(Platform& platform) : platform_(platform), links_(platform) {}

  void begin() { links_.begin(); }  // at the time of the first request
  void add(const TrafficResult& result);
  // Latency parts, in addition to add(); the summary then shows their means.
  void add_parts(const TrafficResult& result, const LatencyParts& parts);

  // Complete summary up to now, with units in the key names; utilisations relate to the time since
  // the first request; links by descending utilisation, at most `links` of them.
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
