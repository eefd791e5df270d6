// TrafficReport: rows of requests to where they go, everything to the summary, and on the console a
// table of the first requests.
#pragma once

#include <ostream>
#include <string>
#include <unordered_map>

#include "platform/observe/latency_breakdown.h"
#include "platform/output/table.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_rows.h"
#include "platform/traffic/traffic_summary.h"

namespace kernbench {

// All requests of a source whose times the simulation does not decide, as a traffic file
// (spec 10.2).
void write_requests(TrafficSource& source, const Platform& platform, std::ostream& out);

class TrafficReport final : public TrafficListener {
 public:
  static constexpr std::size_t most_listed = 40;

  // `breakdown` may be null.
  TrafficReport(Platform& platform, std::ostream& out, TrafficRows::Format format,
                LatencyBreakdown* breakdown);
  void began() override { summary_.begin(); }
  void ended(const TrafficResult& result) override;
  void in_order(const TrafficResult& result) override;
  std::string text() const;
  // The run has ended, and all results have been told.
  void close() { rows_.end(); }
  const TrafficSummary& summary() const { return summary_; }

 private:
  Platform& platform_;
  LatencyBreakdown* breakdown_;
  std::unordered_map<std::uint32_t, LatencyParts> parts_;  // of requests that wait for earlier ones
  TrafficRows rows_;
  TrafficSummary summary_;
  bool listing_;
  std::size_t seen_ = 0;
  Table table_;
};

}  // namespace kernbench
