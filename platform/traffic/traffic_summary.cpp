#include "platform/traffic/traffic_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "platform/output/json_text.h"
#include "platform/output/table.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

Link::Statistics between(const Link::Statistics& before, const Link::Statistics& now) {
  return {now.bytes - std::min(before.bytes, now.bytes), now.flits - before.flits,
          now.control_messages - before.control_messages, now.busy_fs - before.busy_fs};
}

// Names of nodes need no quotes.
std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace

double rate_gbs(std::uint64_t bytes, Fs time) {
  return time == 0 ? 0.0 : static_cast<double>(bytes) / to_ns(time);
}

void TrafficLinks::begin() {
  begun_ = true;
  begin_ = Component::now();
  for (const LinkInstance& entry : platform_.links()) at_begin_.push_back(entry.link->statistics());
}

std::vector<TrafficLinks::LinkRow> TrafficLinks::links() const {
  std::vector<LinkRow> links;
  auto before = at_begin_.begin();
  if (!begun_) return links;
  for (const LinkInstance& entry : platform_.links())
    links.push_back(
        {&platform_.graph().edges()[entry.edge], between(*before++, entry.link->statistics())});
  return links;
}

std::vector<TrafficLinks::LinkRow> TrafficLinks::busiest(std::size_t most) const {
  std::vector<LinkRow> list = links();
  list.erase(std::remove_if(list.begin(), list.end(),
                            [](const LinkRow& link) { return link.carried.busy_fs == 0; }),
             list.end());
  std::stable_sort(list.begin(), list.end(), [](const LinkRow& a, const LinkRow& b) {
    return a.carried.busy_fs > b.carried.busy_fs;
  });
  if (list.size() > most) list.resize(most);
  return list;
}

Json TrafficLinks::json_of(const LinkRow& link) const {
  const Fs time = elapsed();
  const Link::Statistics& carried = link.carried;
  return {{"src", platform_.graph().node(link.edge->src).name},
          {"dst", platform_.graph().node(link.edge->dst).name},
          {"kind", name_of(link.edge->kind)},
          {"bw_gbs", link.edge->bw_gbs ? Json(link.edge->bw_gbs->to_double()) : Json()},
          {"bytes", carried.bytes},
          {"gbs", rate_gbs(carried.bytes, time)},
          {"utilisation",
           time == 0 ? 0.0 : static_cast<double>(carried.busy_fs) / static_cast<double>(time)},
          {"flits", carried.flits},
          {"control_messages", carried.control_messages},
          {"busy_ns", ns_json(carried.busy_fs)}};
}

void TrafficLinks::write_csv(std::ostream& out) const {
  out << "src,dst,kind,bw_gbs,bytes,gbs,utilisation,flits,control_messages,busy_ns\n";
  for (const LinkRow& link : links()) {
    bool first = true;
    for (const Json& cell : json_of(link)) {
      out << (first ? "" : ",") << csv_cell(cell);
      first = false;
    }
    out << '\n';
  }
}

void TrafficLinks::write_json(std::ostream& out) const {
  out << "{\"elapsed_ns\": " << json_text(ns_json(elapsed())) << ",\n\"links\": [";
  bool first = true;
  for (const LinkRow& link : links()) {
    out << (first ? "\n " : ",\n ") << json_text(json_of(link));
    first = false;
  }
  out << "\n]}\n";
}

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
