#include "platform/report/transfer_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "platform/observe/distance_class.h"
#include "platform/observe/histogram_json.h"
#include "platform/output/json_text.h"

namespace kernbench {
namespace {

template <class Visit>
void for_each_part(Visit visit) {
  for (std::size_t i = 0; i < latency_part_count; ++i) visit(static_cast<LatencyPart>(i));
}

std::optional<LatencyPart> part_named(const std::string& name) {
  std::optional<LatencyPart> found;
  for_each_part([&](LatencyPart part) {
    if (name == name_of(part)) found = part;
  });
  return found;
}

int order_of_distance(const std::string& name) {
  int order = 0;
  while (order < distance_class_count && name != name_of(static_cast<DistanceClass>(order)))
    ++order;
  return order;
}

nlohmann::ordered_json parts_json(const LatencyParts& parts) {
  nlohmann::ordered_json json;
  for_each_part(
      [&](LatencyPart part) { json[std::string(name_of(part)) + "_ns"] = ns_json(parts[part]); });
  return json;
}

}  // namespace

TransferSums::TransferSums(EventSource& events)
    : place_rows_(events.rows<PlaceRow>(), *this),
      transfer_rows_(events.rows<TransferRow>(), *this), hop_rows_(events.rows<HopRow>(), *this) {}

void TransferSums::write(const PlaceRow& row) {
  places_.resize(std::max<std::size_t>(places_.size(), row.id));
  Place& place = places_[row.id - 1];
  place.name = row.name;
  place.kind = row.kind;
  place.is_link = row.is_link;
}

void TransferSums::write(const TransferRow& row) {
  Sum& sum = sums_[{row.op == "write" ? 1 : 0, order_of_distance(row.distance), row.initiator_kind,
                    row.target_kind}];
  sum.op = row.op;
  sum.distance = row.distance;
  ++sum.transfers;
  sum.bytes += row.bytes;
  sum.latency_fs.add(row.end - row.issued);
  last_ = &sum;
}

void TransferSums::write(const HopRow& row) {
  const std::optional<LatencyPart> part = part_named(row.part);
  if (!part || last_ == nullptr || row.place == 0 || row.place > places_.size()) return;
  last_->parts[*part] += row.end - row.start;
  Place& place = places_[row.place - 1];
  if (place.last_transfer != row.transfer) ++place.crossings;
  place.last_transfer = row.transfer;
  (*part == LatencyPart::contention ? place.stalled : place.service) += row.end - row.start;
}

std::map<std::pair<int, int>, TransferSums::Sum> TransferSums::sums_by_distance() const {
  std::map<std::pair<int, int>, Sum> sums;
  for (const auto& [key, sum] : sums_) {
    Sum& all = sums[{key.op, key.distance}];
    all.op = sum.op;
    all.distance = sum.distance;
    all.transfers += sum.transfers;
    all.bytes += sum.bytes;
    all.parts += sum.parts;
  }
  return sums;
}

Table TransferSums::by_distance() const {
  std::vector<Table::Column> columns{{"op", "transfers"},
                                     {"distance", "distance"},
                                     {"transfers", "count"},
                                     {"bytes", "bytes"},
                                     {"mean_ns", "mean ns"}};
  for_each_part([&](LatencyPart part) {
    columns.emplace_back(std::string(name_of(part)) + "_ns", std::string(name_of(part)));
  });
  Table table = Table("transfers", std::move(columns)).with_keys(2);
  for (const auto& [key, sum] : sums_by_distance()) {
    const auto mean = [&sum = sum](Fs total) {
      return NumberCell{to_ns(total) / static_cast<double>(sum.transfers)};
    };
    Table::Row row{sum.op, sum.distance, sum.transfers, sum.bytes, mean(sum.parts.total())};
    for_each_part([&, &parts = sum.parts](LatencyPart part) { row.push_back(mean(parts[part])); });
    table.add(std::move(row));
  }
  return table;
}

Table TransferSums::by_place() const {
  struct Kind {
    std::string name;
    bool is_link = false;
    std::uint64_t crossings = 0;
    Fs service = 0, stalled = 0;
    const Place* worst = nullptr;
  };
  std::map<std::pair<bool, std::string>, Kind> kinds;
  for (const Place& place : places_) {
    if (place.crossings == 0) continue;
    Kind& kind = kinds[{place.is_link, place.kind}];
    kind.name = place.kind;
    kind.is_link = place.is_link;
    kind.crossings += place.crossings;
    kind.service += place.service;
    kind.stalled += place.stalled;
    const Fs worst = kind.worst == nullptr ? 0 : kind.worst->stalled;
    if (place.stalled > worst ||
        (worst > 0 && place.stalled == worst && place.name < kind.worst->name))
      kind.worst = &place;
  }
  std::vector<Kind> sorted;
  for (auto& [key, kind] : kinds) sorted.push_back(std::move(kind));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Kind& a, const Kind& b) {
    return std::tie(b.stalled, b.service) < std::tie(a.stalled, a.service);
  });
  Table table("hops", {{"place", "place"},
                       {"kind", "kind"},
                       {"crossings", "crossings"},
                       {"service_ns", "service"},
                       {"stalled_ns", "stall time"},
                       {"worst", "most stalls at"},
                       {"worst_stalled_ns", "there"}});
  for (const Kind& kind : sorted) {
    Cell worst, there;
    if (kind.worst != nullptr) {
      worst = kind.worst->name;
      there = TimeCell{kind.worst->stalled};
    }
    table.add({kind.name, kind.is_link ? "link" : "node", kind.crossings, TimeCell{kind.service},
               TimeCell{kind.stalled}, worst, there});
  }
  return table;
}

nlohmann::ordered_json TransferSums::json() const {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : sums_by_distance()) {
    nlohmann::ordered_json entry;
    entry["op"] = sum.op;
    entry["distance"] = sum.distance;
    entry["transfers"] = sum.transfers;
    entry["bytes"] = sum.bytes;
    entry["latency_ns"] = ns_json(sum.parts.total());
    entry["parts"] = parts_json(sum.parts);
    json.push_back(std::move(entry));
  }
  return json;
}

nlohmann::ordered_json TransferSums::statistics_json() const {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [key, sum] : sums_) {
    nlohmann::ordered_json entry;
    entry["op"] = sum.op;
    entry["initiator"] = key.initiator;
    entry["target"] = key.target;
    entry["distance"] = sum.distance;
    entry["transfers"] = sum.transfers;
    entry["bytes"] = sum.bytes;
    entry["latency"] = histogram_json(sum.latency_fs);
    entry["parts"] = parts_json(sum.parts);
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace kernbench
