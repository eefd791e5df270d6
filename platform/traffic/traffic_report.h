// TrafficReport: writes rows of requests to the output and all results to the summary, and prints a
// table of the first requests on the console.
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

// Writes all requests of a source whose times do not depend on the simulation as a traffic file
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
  // Called when the run has ended and all results have been reported.
  void close() { rows_.end(); }
  const TrafficSummary& summary() const { return summary_; }

 private:
  Platform& platform_;
  LatencyBreakdown* breakdown_;
  std::unordered_map<std::uint32_t, LatencyParts>
      parts_;  // parts of requests held back by earlier ones
  TrafficRows rows_;
  TrafficSummary summary_;
  bool listing_;
  std::size_t seen_ = 0;
  Table table_;
};

}  // namespace kernbench
