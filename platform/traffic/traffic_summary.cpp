#include "platform/traffic/traffic_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platform/output/json_text.h"
#include "platform/output/table.h"

namespace kernbench {
TrafficSummary::ByDistance& TrafficSummary::distance_of_result(const TrafficResult& result) {
  return by_distance_[static_cast<std::size_t>(
      distance_of(platform_.graph(), result.request.initiator, result.request.target))];
}

void TrafficSummary::add_parts(const TrafficResult& result, const LatencyParts& parts) {
  has_parts_ = true;
  distance_of_result(result).parts += parts;
}

void TrafficSummary::add(const TrafficResult& result) {
  ++requests_;
  (result.request.write ? bytes_written_ : bytes_read_) += result.request.bytes;
  first_issue_ = std::min(first_issue_, result.request.issue);
  last_end_ = std::max(last_end_, result.end);
  ByDistance& distance = distance_of_result(result);
  distance.bytes += result.request.bytes;
  distance.latency_fs.add(result.latency());
}

nlohmann::ordered_json TrafficSummary::json(std::size_t links) const {
  nlohmann::ordered_json summary;
  summary["requests"] = requests_;
  summary["bytes_read"] = bytes_read_;
  summary["bytes_written"] = bytes_written_;
  summary["makespan_ns"] = ns_json(makespan());
  summary["elapsed_ns"] = ns_json(links_.elapsed());
  summary["aggregate_gbs"] = rate_gbs(bytes_read_ + bytes_written_, makespan());
  summary["latency"] = nlohmann::ordered_json::array();
  for (int i = 0; i < distance_class_count; ++i) {
    const ByDistance& distance = by_distance_[static_cast<std::size_t>(i)];
    const Histogram& latency = distance.latency_fs;
    if (latency.count() == 0) continue;
    summary["latency"].push_back({{"distance", name_of(static_cast<DistanceClass>(i))},
                                  {"requests", latency.count()},
                                  {"bytes", distance.bytes},
                                  {"gbs", rate_gbs(distance.bytes, makespan())},
                                  {"min_ns", ns_json(latency.lowest())},
                                  {"mean_ns", latency.mean() / 1e6},
                                  {"p50_ns", ns_json(latency.percentile(0.50))},
                                  {"p90_ns", ns_json(latency.percentile(0.90))},
                                  {"p99_ns", ns_json(latency.percentile(0.99))},
                                  {"max_ns", ns_json(latency.highest())}});
    for (std::size_t part = 0; has_parts_ && part < latency_part_count; ++part) {
      const auto which = static_cast<LatencyPart>(part);
      summary["latency"].back()["mean_parts"][std::string(name_of(which)) + "_ns"] =
          to_ns(distance.parts[which]) / static_cast<double>(latency.count());
    }
  }
  summary["busiest_links"] = nlohmann::ordered_json::array();
  for (const TrafficLinks::LinkRow& link : links_.busiest(links))
    summary["busiest_links"].push_back(links_.json_of(link));
  return summary;
}

std::string TrafficSummary::text() const {
  const nlohmann::ordered_json summary = json();
  const auto number = [](const nlohmann::ordered_json& value) {
    return fmt::format("{:.3f}", to_double(value));
  };
  std::string text = fmt::format(
      "requests   {}\nbytes      {} read, {} written\nmakespan   {}\naggregate  {} GB/s\n",
      requests_, bytes_read_, bytes_written_, format_ns(makespan()),
      number(summary["aggregate_gbs"]));
  if (links_.elapsed() != makespan())
    text += fmt::format("elapsed    {}\n", format_ns(links_.elapsed()));
  text += '\n';
  using Align = Table::Align;
  Table latency({{"distance"},
                 {"requests", Align::right},
                 {"bytes", Align::right},
                 {"GB/s", Align::right},
                 {"min ns", Align::right},
                 {"mean ns", Align::right},
                 {"p50 ns", Align::right},
                 {"p90 ns", Align::right},
                 {"p99 ns", Align::right},
                 {"max ns", Align::right}});
  for (const auto& row : summary["latency"]) {
    latency.add({row["distance"].get<std::string>(), row["requests"].dump(), row["bytes"].dump(),
                 number(row["gbs"]), number(row["min_ns"]), number(row["mean_ns"]),
                 number(row["p50_ns"]), number(row["p90_ns"]), number(row["p99_ns"]),
                 number(row["max_ns"])});
  }
  text += latency.text();
  if (has_parts_) {
    std::vector<Table::Column> columns{{"mean parts, ns"}};
    for (std::size_t part = 0; part < latency_part_count; ++part)
      columns.push_back({name_of(static_cast<LatencyPart>(part)), Align::right});
    Table parts(columns);
    for (const auto& row : summary["latency"]) {
      std::vector<std::string> cells{row["distance"]};
      for (const auto& part : row["mean_parts"]) cells.push_back(number(part));
      parts.add(row_of(std::move(cells)));
    }
    text += "\n" + parts.text();
  }
  return text;
}

}  // namespace kernbench
