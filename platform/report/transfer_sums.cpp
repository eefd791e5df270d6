#include "platform/report/transfer_sums.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/observe/transfer_path.h"
#include "platform/observe/waiting_times.h"
#include "platform/output/json_text.h"
#include "platform/report/report.h"

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

CollectedTransfers::CollectedTransfers(EventSource& events)
    : place_rows_(events.rows<PlaceRow>(), *this),
      transfer_rows_(events.rows<TransferRow>(), *this), hop_rows_(events.rows<HopRow>(), *this) {}

void CollectedTransfers::write(const PlaceRow& row) {
  places_.resize(std::max<std::size_t>(places_.size(), row.id));
  places_[row.id - 1] = row;
}

void CollectedTransfers::write(const TransferRow& row) {
  transfers_.push_back({row.initiator, row.issued, row.end, {}});
}

void CollectedTransfers::write(const HopRow& row) {
  if (transfers_.empty() || row.place == 0 || row.place > places_.size()) return;
  const PlaceRow& place = places_[row.place - 1];
  transfers_.back().hops.push_back({place.name, place.kind, row.part,
                                    row.part == name_of(LatencyPart::contention), row.start,
                                    row.end});
}

const std::vector<TransferHops>& CollectedTransfers::by_end() {
  std::stable_sort(transfers_.begin(), transfers_.end(),
                   [](const TransferHops& a, const TransferHops& b) { return a.end < b.end; });
  return transfers_;
}

TransfersByInitiator::TransfersByInitiator(const std::vector<TransferHops>* transfers) {
  if (transfers == nullptr) return;
  for (const TransferHops& transfer : *transfers) by_node_[transfer.node].push_back(&transfer);
}

const TransferHops* TransfersByInitiator::find(std::string_view node, Fs since, Fs end) const {
  const auto of_node = by_node_.find(node);
  if (of_node == by_node_.end()) return nullptr;
  const std::vector<const TransferHops*>& transfers = of_node->second;
  auto next = std::lower_bound(transfers.begin(), transfers.end(), end,
                               [](const TransferHops* a, Fs time) { return a->end < time; });
  const TransferHops* last = nullptr;
  for (; next != transfers.end() && (*next)->end == end; ++next) {
    if ((*next)->start < since || (last != nullptr && (*next)->start <= last->start)) continue;
    last = *next;
  }
  return last;
}

namespace {

class TransfersReport final : public Report {
 public:
  explicit TransfersReport(const ReportContext& context) : sums_(context.events) {
    if (context.machine != nullptr) context.machine->observe_transfers();
    if (context.log != nullptr) log_ = quote(context.log->path());
  }

  void close(Fs /*end*/) override {
    if (!log_.empty() && sums_.empty())
      throw UsageError(fmt::format("{} has no transfers, which --breakdown needs", log_));
  }
  std::string text() override {
    if (sums_.empty()) return "";
    return sums_.by_distance().text() + '\n' + sums_.by_place().text();
  }
  Json json() override { return sums_.json(); }
  void add_to(Json& json, const char* name) override {
    json[name] = this->json();
    json["hops"] = sums_.by_place().json();
  }
  std::optional<Table> table() override {
    return Table::joined({sums_.by_distance(), sums_.by_place()});
  }

 private:
  TransferSums sums_;
  std::string log_;  // empty: a machine
};

const ReportRegistration transfers_registration(
    {50, "transfers", ReportSource::run | ReportSource::log},
    report_on_flag<TransfersReport>(
        "--breakdown",
        "Latencies of memory transfers, split into PE setup, NoC, UCIe, fabric, link transfer, HBM "
        "and contention (see below), and by the nodes and links at which they arise"));

}  // namespace

}  // namespace kernbench
