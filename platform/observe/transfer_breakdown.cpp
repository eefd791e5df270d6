#include "platform/observe/transfer_breakdown.h"

#include <fmt/format.h>

#include "platform/observe/histogram_json.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"

namespace kernbench {
namespace {

template <class Visit>
void for_each_part(Visit visit) {
  for (std::size_t i = 0; i < latency_part_count; ++i) visit(static_cast<LatencyPart>(i));
}

const char* op_name(bool write) { return write ? "write" : "read"; }

nlohmann::ordered_json parts_json(const LatencyParts& parts) {
  nlohmann::ordered_json json;
  for_each_part(
      [&](LatencyPart part) { json[std::string(name_of(part)) + "_ns"] = ns_json(parts[part]); });
  return json;
}

}  // namespace

TransferBreakdown::TransferBreakdown(Platform& platform)
    : graph_(platform.graph()), breakdown_(platform),
      ends_(platform.observation().transaction_ends, *this) {}

void TransferBreakdown::write(const TransactionEnd& end) {
  const Transaction& transaction = end.transaction;
  const LatencyParts parts = breakdown_.take(transaction);
  const RouteExtension& route = transaction.route();
  if (!transaction.accesses_memory() || route.path == nullptr) return;
  const Path& way = route.request_path();
  const Key key{transaction.is_write(), distance_of(graph_, way.source(), way.target())};
  const Ends ends{graph_.node(way.source()).kind, graph_.node(way.target()).kind};
  Sum& sum = sums_[{key, ends}];
  ++sum.transfers;
  sum.bytes += transaction.get_data_length();
  sum.parts += parts;
  sum.latency_fs.add(parts.total());
}

std::map<TransferBreakdown::Key, TransferBreakdown::Sum> TransferBreakdown::by_distance() const {
  std::map<Key, Sum> sums;
  for (const auto& [key, sum] : sums_) {
    Sum& of_distance = sums[key.first];
    of_distance.transfers += sum.transfers;
    of_distance.bytes += sum.bytes;
    of_distance.parts += sum.parts;
  }
  return sums;
}

std::string TransferBreakdown::text() const {
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"transfers"},
                                     {"distance"},
                                     {"count", Align::right},
                                     {"bytes", Align::right},
                                     {"mean ns", Align::right}};
  for_each_part([&](LatencyPart part) { columns.push_back({name_of(part), Align::right}); });
  Table table(std::move(columns));
  for (const auto& [key, sum] : by_distance()) {
    const auto mean = [&sum = sum](Fs total) {
      return fmt::format("{:.3f}", to_ns(total) / static_cast<double>(sum.transfers));
    };
    std::vector<std::string> cells{op_name(key.write), name_of(key.distance),
                                   std::to_string(sum.transfers), std::to_string(sum.bytes),
                                   mean(sum.parts.total())};
    for_each_part(
        [&, &parts = sum.parts](LatencyPart part) { cells.push_back(mean(parts[part])); });
    table.add(row_of(std::move(cells)));
  }
  return table.empty() ? "" : table.text();
}

nlohmann::ordered_json TransferBreakdown::json() const {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : by_distance()) {
    nlohmann::ordered_json entry;
    entry["op"] = op_name(key.write);
    entry["distance"] = name_of(key.distance);
    entry["transfers"] = sum.transfers;
    entry["bytes"] = sum.bytes;
    entry["latency_ns"] = ns_json(sum.parts.total());
    entry["parts"] = parts_json(sum.parts);
    json.push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json TransferBreakdown::statistics_json() const {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : sums_) {
    nlohmann::ordered_json entry;
    entry["op"] = op_name(key.first.write);
    entry["initiator"] = name_of(key.second.initiator);
    entry["target"] = name_of(key.second.target);
    entry["distance"] = name_of(key.first.distance);
    entry["transfers"] = sum.transfers;
    entry["bytes"] = sum.bytes;
    entry["latency"] = histogram_json(sum.latency_fs);
    entry["parts"] = parts_json(sum.parts);
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace kernbench
