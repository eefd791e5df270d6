#include "platform/report/operation_statistics.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/events/op_log_player.h"
#include "platform/report/report.h"

namespace kernbench {

namespace {

double gbs(std::uint64_t bytes, Fs time) {
  return static_cast<double>(bytes) / to_ns(time);  // bytes/ns
}

// --- Histograms

struct Bin {
  Fs from = 0, to = 0;
  std::uint64_t count = 0;
};

// [0, 1 ns), [1, 2 ns), [2, 4 ns), ...: from the first to the last non-empty bin.
std::vector<Bin> bins_of(const std::map<Fs, std::uint64_t>& durations) {
  std::vector<Bin> bins;
  Bin bin{0, fs_per_ns, 0};
  for (const auto& [duration, count] : durations) {
    while (duration >= bin.to) {
      if (!bins.empty() || bin.count > 0) bins.push_back(bin);
      bin = {bin.to, bin.to * 2, 0};
    }
    bin.count += count;
  }
  if (bin.count > 0) bins.push_back(bin);
  return bins;
}

}  // namespace

// --- Statistics

Fs OperationGroup::percentile(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count)));
  std::uint64_t passed = 0;
  for (const auto& [duration, number] : durations) {
    passed += number;
    if (passed >= std::max<std::uint64_t>(rank, 1)) return duration;
  }
  return longest();
}

Fs EnginePart::total() const {
  Fs total = 0;
  for (const auto& [node, time] : busy) total += time;
  return total;
}

std::pair<std::string, Fs> EnginePart::busiest() const {
  return *std::max_element(busy.begin(), busy.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

OperationStatistics::Places OperationStatistics::places_of(const OperationName& name) {
  if (name.place < places_.size()) return places_[name.place];
  Places places{&groups_[{name.engine, name.name}], nullptr};
  places.group->engine = name.engine;
  places.group->name = name.name;
  places.group->part = name.part;
  places.group->span = name.span;
  if (!name.span) {
    EnginePart& part = engines_[{order_of(name.part), name.engine, name.part}];
    part.engine = name.engine;
    part.part = name.part;
    places.busy = &part.busy[name.node];
  }
  return places_.emplace_back(places);
}

void OperationStatistics::add(std::uint64_t id, const ExecutedOp& op) {
  const OperationName& name = names_.of(op);
  const auto [group, busy] = places_of(name);
  const Fs time = op.t_end - op.t_start;
  ++operations_;
  if (group->count == 0 || time > group->longest()) {
    group->longest_id = id;
    group->longest_node = name.node;
    group->longest_start = op.t_start;
  }
  ++group->durations[time];
  ++group->count;
  group->total += time;
  group->bytes += op.bytes;
  group->macs += op.macs;
  if (busy != nullptr) *busy += time;
}

std::vector<const OperationGroup*> OperationStatistics::groups() const {
  ordered_.close();
  std::vector<const OperationGroup*> sorted;
  for (const auto& [name, group] : groups_) sorted.push_back(&group);
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const OperationGroup* a, const OperationGroup* b) { return a->total > b->total; });
  return sorted;
}

std::vector<const EnginePart*> OperationStatistics::engines() const {
  ordered_.close();
  std::vector<const EnginePart*> sorted;
  for (const auto& [place, part] : engines_) sorted.push_back(&part);
  return sorted;
}

std::vector<const OperationGroup*> OperationStatistics::stages() const {
  ordered_.close();
  std::vector<const OperationGroup*> stages;
  for (const auto& [name, group] : groups_)
    if (!group.span) stages.push_back(&group);
  std::stable_sort(stages.begin(), stages.end(),
                   [](const OperationGroup* a, const OperationGroup* b) {
                     return order_of(a->part) < order_of(b->part);
                   });
  return stages;
}

// --- Tables

Table OperationStatistics::group_table(const char* name, bool spans) const {
  Table table = Table(name, {{"engine", "engine"},
                             {"operation", "operation"},
                             {"count", "count"},
                             {"total_ns", "total"},
                             {"mean_ns", "mean"},
                             {"min_ns", "min"},
                             {"median_ns", "median"},
                             {"max_ns", "max"},
                             {"bytes", "bytes"},
                             {"gbs", "GB/s"},
                             {"longest_op", "longest"},
                             {"longest_node", "on"},
                             {"longest_start_ns", "at"}})
                    .with_keys(2);
  for (const OperationGroup* group : groups()) {
    if (group->span != spans) continue;
    Cell rate;
    if (group->bytes > 0 && group->total > 0) rate = RateCell{gbs(group->bytes, group->total)};
    table.add({group->engine, group->name, group->count, TimeCell{group->total},
               TimeCell{group->total / group->count}, TimeCell{group->shortest()},
               TimeCell{group->percentile(0.5)}, TimeCell{group->longest()}, group->bytes, rate,
               group->longest_id, group->longest_node, TimeCell{group->longest_start}});
  }
  return table;
}

Table OperationStatistics::stages_table() const {
  Table table = Table("stages", {{"engine", "engine"},
                                 {"operation", "operation"},
                                 {"count", "count"},
                                 {"total_ns", "total"},
                                 {"mean_ns", "mean"},
                                 {"min_ns", "min"},
                                 {"p50_ns", "p50"},
                                 {"p90_ns", "p90"},
                                 {"p99_ns", "p99"},
                                 {"max_ns", "max"},
                                 {"mean_bytes", "bytes each"}})
                    .with_keys(2);
  for (const OperationGroup* group : stages()) {
    table.add({group->engine, group->name, group->count, TimeCell{group->total},
               TimeCell{group->total / group->count}, TimeCell{group->shortest()},
               TimeCell{group->percentile(0.5)}, TimeCell{group->percentile(0.9)},
               TimeCell{group->percentile(0.99)}, TimeCell{group->longest()},
               group->bytes / group->count});
  }
  return table;
}

Table OperationStatistics::histogram_table() const {
  Table table("histogram", {{"engine", "engine"},
                            {"operation", "operation"},
                            {"from_ns", "from"},
                            {"to_ns", "to"},
                            {"count", "count"}});
  for (const OperationGroup* group : stages()) {
    for (const Bin& bin : bins_of(group->durations))
      table.add({group->engine, group->name, TimeCell{bin.from}, TimeCell{bin.to}, bin.count});
  }
  return table;
}

std::string OperationStatistics::top_text(std::size_t most) const {
  const Table spans = spans_table();
  return operations_table().text("", most) +
         (spans.empty() ? ""
                        : "\nspans: composites hold their tiles, sends and receives their "
                          "waits\n" +
                              spans.text("", most));
}

std::string OperationStatistics::stages_text(std::size_t most) const {
  constexpr std::uint64_t width = 50;
  std::string text = stages_table().text("", most);
  std::vector<const OperationGroup*> shown = stages();
  shown.resize(std::min(shown.size(), most));
  for (const OperationGroup* group : shown) {
    text += fmt::format("\n{} {}\n", group->engine, group->name);
    const std::vector<Bin> bins = bins_of(group->durations);
    std::uint64_t largest = 0;
    for (const Bin& bin : bins) largest = std::max(largest, bin.count);
    for (const Bin& bin : bins) {
      const std::uint64_t bar = (bin.count * width + largest - 1) / largest;
      text += fmt::format("  {:>12} to {:>12}  {:>8}  {}", readable_time(to_ns(bin.from)),
                          readable_time(to_ns(bin.to)), bin.count, std::string(bar, '#'));
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
  }
  return text;
}

namespace {

class OperationsReport : public Report {
 public:
  OperationsReport(const ReportContext& context, const char* option)
      : option_(option), log_(context.log != nullptr ? context.log->path() : ""),
        rows_(context.rows.value_or(20)), statistics_(context.events.observation()) {}

  void close(Fs /*end*/) override {
    if (!log_.empty() && statistics_.operations() == 0)
      throw UsageError(fmt::format("{} has no operations, which {} needs", quote(log_), option_));
  }

 protected:
  std::size_t rows() const { return rows_; }
  const OperationStatistics& statistics() const { return statistics_; }

 private:
  const char* option_;
  std::string log_;  // "": the events are those of a machine
  std::size_t rows_;
  OperationStatistics statistics_;
};

class TopReport final : public OperationsReport {
 public:
  explicit TopReport(const ReportContext& context) : OperationsReport(context, "--top") {}
  std::string text() override { return statistics().top_text(rows()); }
  Json json() override {
    return {{"operations", statistics().operations_table().json()},
            {"spans", statistics().spans_table().json()}};
  }
  std::optional<Table> table() override { return statistics().operations_table(); }
};

class StagesReport final : public OperationsReport {
 public:
  explicit StagesReport(const ReportContext& context) : OperationsReport(context, "--stages") {}
  std::string text() override { return statistics().stages_text(rows()); }
  Json json() override { return statistics().stages_table().json(); }
  void add_to(Json& json, const char* name) override {
    json[name] = this->json();
    json["histogram"] = statistics().histogram_table().json();
  }
  std::optional<Table> table() override { return statistics().histogram_table(); }
};

const ReportRegistration top_registration(
    {60, "top", ReportSource::log},
    report_on_flag<TopReport>("--top",
                              "Operations by name and engine, those with the largest total time "
                              "first"));
const ReportRegistration stages_registration(
    {90, "stages", ReportSource::run | ReportSource::log},
    report_on_flag<StagesReport>("--stages",
                                 "Durations of each stage and operation: percentiles and a "
                                 "histogram"));

}  // namespace

}  // namespace kernbench
