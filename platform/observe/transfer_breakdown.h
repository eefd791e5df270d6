// Latencies of all memory transfers of a run and their parts (spec 11.3): `run --breakdown`, by
// operation and distance; `transfers` of --stats, also by the kinds of initiator and target and
// with histograms.
//
// A transfer counts from the grant of its DMA channel, or from its issue by the host, to the
// arrival of its answer, or to its commit where none comes back.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "models/base/histogram.h"
#include "platform/observe/distance_class.h"
#include "platform/observe/latency_breakdown.h"

namespace kernbench {

class TransferBreakdown final : private tlm::tlm_analysis_if<TransactionEnd> {
 public:
  // Observes `platform`, which outlives it.
  explicit TransferBreakdown(Platform& platform);

  std::string text() const;  // a table: counts and means
  // [{"op", "distance", "transfers", "bytes", "latency_ns", "parts": {"pe_setup_ns", ...}}, ...]:
  // sums, whose parts add up to the latency
  nlohmann::ordered_json json() const;
  // [{"op", "initiator", "target", "distance", "transfers", "bytes", "latency": {histogram},
  // "parts"}, ...]
  nlohmann::ordered_json statistics_json() const;

 private:
  struct Key {
    bool write;
    DistanceClass distance;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.write, a.distance) < std::tie(b.write, b.distance);
    }
  };
  struct Ends {
    Role initiator, target;
    friend bool operator<(const Ends& a, const Ends& b) {
      return std::tie(a.initiator, a.target) < std::tie(b.initiator, b.target);
    }
  };
  struct Sum {
    std::uint64_t transfers = 0, bytes = 0;
    LatencyParts parts;
    Histogram latency_fs;
  };
  std::map<Key, Sum> by_distance() const;
  void write(const TransactionEnd& end) override;

  const Graph& graph_;
  LatencyBreakdown breakdown_;
  std::map<std::pair<Key, Ends>, Sum> sums_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
