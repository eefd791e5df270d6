#include "platform/traffic/traffic_report.h"

#include <fmt/format.h>

namespace kernbench {

void write_requests(TrafficSource& source, const Platform& platform, std::ostream& out) {
  out << "at_ns,initiator,op,target,offset,bytes\n";
  TrafficRequest request;
  while (source.next(request)) {
    out << fmt::format("{},{},{},{},{},{}\n", fixed_ns(request.issue),
                       platform.machine().name(request.initiator), request.write ? "write" : "read",
                       platform.machine().name(request.target), request.offset, request.bytes);
  }
}

TrafficReport::TrafficReport(Platform& platform, std::ostream& out, TrafficRows::Format format,
                             LatencyBreakdown* breakdown)
    : platform_(platform), breakdown_(breakdown),
      rows_(platform, out, format, breakdown != nullptr), summary_(platform),
      listing_(format == TrafficRows::Format::none), table_({{"id", Table::Align::right},
                                                             {"initiator"},
                                                             {"op"},
                                                             {"target"},
                                                             {"bytes", Table::Align::right},
                                                             {"issue ns", Table::Align::right},
                                                             {"grant ns", Table::Align::right},
                                                             {"end ns", Table::Align::right},
                                                             {"latency ns", Table::Align::right}}) {
  rows_.begin();
}

void TrafficReport::ended(const TrafficResult& result) {
  summary_.add(result);
  if (breakdown_ == nullptr) return;
  const TrafficRequest& request = result.request;
  const LatencyParts parts = breakdown_
                                 ->take(traffic_key(request.issue, request.id), request.initiator,
                                        request.issue, result.grant, result.end)
                                 .parts();
  summary_.add_parts(result, parts);
  parts_.emplace(request.id, parts);
}

void TrafficReport::in_order(const TrafficResult& result) {
  LatencyParts parts;
  if (const auto known = parts_.extract(result.request.id)) parts = known.mapped();
  rows_.row(result, parts);
  ++seen_;
  if (!listing_ || seen_ > most_listed) return;
  const TrafficRequest& request = result.request;
  const auto name = [this](NodeId node) { return platform_.machine().name(node); };
  table_.add({std::uint64_t{request.id}, name(request.initiator), request.write ? "write" : "read",
              name(request.target), std::uint64_t{request.bytes}, fixed_ns(request.issue),
              fixed_ns(result.grant), fixed_ns(result.end), fixed_ns(result.latency())});
}

std::string TrafficReport::text() const {
  if (!listing_) return summary_.text();
  const std::string more =
      seen_ > most_listed ? fmt::format("... {} more; --csv lists all\n", seen_ - most_listed) : "";
  return table_.text() + more + '\n' + summary_.text();
}

}  // namespace kernbench
