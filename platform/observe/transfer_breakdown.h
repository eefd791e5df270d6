// `run --breakdown` (spec 11.3): latency parts of all memory transfers of a run, by operation and
// distance.
//
// A transfer counts from the grant of its DMA channel, or from its issue by the host, to the
// arrival of its answer, or to its commit where none comes back.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

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

 private:
  struct Key {
    bool write;
    DistanceClass distance;
    friend bool operator<(const Key& a, const Key& b) {
      return a.write != b.write ? !a.write
                                : static_cast<int>(a.distance) < static_cast<int>(b.distance);
    }
  };
  struct Sum {
    std::uint64_t transfers = 0, bytes = 0;
    LatencyParts parts;
  };
  void write(const TransactionEnd& end) override;

  const Graph& graph_;
  LatencyBreakdown breakdown_;
  std::map<Key, Sum> sums_;
  AnalysisBinding<TransactionEnd> ends_;
};

}  // namespace kernbench
