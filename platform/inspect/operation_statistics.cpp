#include "platform/inspect/operation_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "platform/report/table.h"

namespace kernbench {
namespace {

double gbs(std::uint64_t bytes, Fs time) {
  return static_cast<double>(bytes) / to_ns(time);  // bytes/ns
}

double share_of(Fs part, Fs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Table group_table(const char* name, const OperationStatistics& statistics, bool spans,
                  std::size_t most) {
  Table table(name, {{"engine", "engine"},
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
                     {"longest_start_ns", "at"}});
  for (const OperationGroup& group : statistics.groups) {
    if (group.span() != spans || table.size() == most) continue;
    Cell rate;
    if (group.bytes > 0 && group.total > 0) rate = RateCell{gbs(group.bytes, group.total)};
    table.add({group.engine, group.name, group.count(), TimeCell{group.total},
               TimeCell{group.total / group.count()}, TimeCell{group.durations.front()},
               TimeCell{group.percentile(0.5)}, TimeCell{group.durations.back()}, group.bytes, rate,
               group.longest_id, group.longest_node, TimeCell{group.longest_start}});
  }
  return table;
}

// --- Histograms

struct Bin {
  Fs from = 0, to = 0;
  std::uint64_t count = 0;
};

// [0, 1 ns), [1, 2 ns), [2, 4 ns), ...: from the first to the last that has something.
std::vector<Bin> bins_of(const std::vector<Fs>& durations) {
  std::vector<Bin> bins;
  Bin bin{0, fs_per_ns, 0};
  for (const Fs duration : durations) {
    while (duration >= bin.to) {
      if (!bins.empty() || bin.count > 0) bins.push_back(bin);
      bin = {bin.to, bin.to * 2, 0};
    }
    ++bin.count;
  }
  if (bin.count > 0) bins.push_back(bin);
  return bins;
}

std::vector<const OperationGroup*> stages_of(const OperationStatistics& statistics) {
  std::vector<const OperationGroup*> stages;
  for (const OperationGroup& group : statistics.groups)
    if (!group.span()) stages.push_back(&group);
  std::stable_sort(stages.begin(), stages.end(),
                   [](const OperationGroup* a, const OperationGroup* b) {
                     return std::make_tuple(order_of(a->part), std::tie(a->engine, a->name)) <
                            std::make_tuple(order_of(b->part), std::tie(b->engine, b->name));
                   });
  return stages;
}

}  // namespace

// --- Statistics

Fs OperationGroup::percentile(double share) const {
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(durations.size())));
  return durations[std::max<std::size_t>(rank, 1) - 1];
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

OperationStatistics::OperationStatistics(const OpLogReader& log) {
  std::map<std::pair<std::string, std::string>, OperationGroup> by_name;
  std::map<std::tuple<int, std::string, std::string>, EnginePart> by_part;
  first = never_fs;
  log.for_each("SELECT id, t_start_fs, t_end_fs, node, name, bytes, macs FROM ops ORDER BY id",
               [&](SQLite::Statement& row) {
                 const Fs start = number_in(row, 1), end = number_in(row, 2), time = end - start;
                 const std::string node = text_in(row, 3), name = text_in(row, 4);
                 const std::string engine = engine_of_node(node), part = part_of(engine, name);
                 OperationGroup& group = by_name[{engine, name}];
                 group.engine = engine;
                 group.name = name;
                 group.part = part;
                 if (group.durations.empty() || time > group.longest) {
                   group.longest = time;
                   group.longest_id = number_in(row, 0);
                   group.longest_node = node;
                   group.longest_start = start;
                 }
                 group.durations.push_back(time);
                 group.total += time;
                 group.bytes += number_in(row, 5);
                 group.macs += number_in(row, 6);
                 ++operations;
                 first = std::min(first, start);
                 last = std::max(last, end);
                 if (is_span(engine)) return;
                 EnginePart& busy = by_part[{order_of(part), engine, part}];
                 busy.engine = engine;
                 busy.part = part;
                 busy.busy[node] += time;
               });
  if (operations == 0) first = 0;
  for (auto& [name, group] : by_name) {
    std::sort(group.durations.begin(), group.durations.end());
    groups.push_back(std::move(group));
  }
  std::stable_sort(
      groups.begin(), groups.end(),
      [](const OperationGroup& a, const OperationGroup& b) { return a.total > b.total; });
  for (auto& [place, part] : by_part) engines.push_back(std::move(part));
}

// --- Tables

Table operations_table(const OperationStatistics& statistics, std::size_t most) {
  return group_table("operations", statistics, false, most);
}

Table spans_table(const OperationStatistics& statistics, std::size_t most) {
  return group_table("spans", statistics, true, most);
}

Table engines_table(const OperationStatistics& statistics) {
  Table table("engines", {{"engine", "engine"},
                          {"part", "part"},
                          {"nodes", "nodes"},
                          {"busy_ns", "busy"},
                          {"mean_share", "mean share"},
                          {"busiest_share", "busiest"},
                          {"busiest_node", "which"}});
  for (const EnginePart& part : statistics.engines) {
    const auto [node, time] = part.busiest();
    const std::uint64_t nodes = part.busy.size();
    table.add({part.engine, part.part, nodes, TimeCell{part.total()},
               ShareCell{share_of(part.total() / nodes, statistics.window())},
               ShareCell{share_of(time, statistics.window())}, node});
  }
  return table;
}

Table stages_table(const OperationStatistics& statistics) {
  Table table("stages", {{"engine", "engine"},
                         {"operation", "operation"},
                         {"count", "count"},
                         {"total_ns", "total"},
                         {"mean_ns", "mean"},
                         {"min_ns", "min"},
                         {"p50_ns", "p50"},
                         {"p90_ns", "p90"},
                         {"p99_ns", "p99"},
                         {"max_ns", "max"},
                         {"mean_bytes", "bytes each"}});
  for (const OperationGroup* group : stages_of(statistics)) {
    table.add({group->engine, group->name, group->count(), TimeCell{group->total},
               TimeCell{group->total / group->count()}, TimeCell{group->durations.front()},
               TimeCell{group->percentile(0.5)}, TimeCell{group->percentile(0.9)},
               TimeCell{group->percentile(0.99)}, TimeCell{group->durations.back()},
               group->bytes / group->count()});
  }
  return table;
}

Table histogram_table(const OperationStatistics& statistics) {
  Table table("histogram", {{"engine", "engine"},
                            {"operation", "operation"},
                            {"from_ns", "from"},
                            {"to_ns", "to"},
                            {"count", "count"}});
  for (const OperationGroup* group : stages_of(statistics)) {
    for (const Bin& bin : bins_of(group->durations))
      table.add({group->engine, group->name, TimeCell{bin.from}, TimeCell{bin.to}, bin.count});
  }
  return table;
}

std::string stages_text(const OperationStatistics& statistics) {
  constexpr std::uint64_t width = 50;
  std::string text = stages_table(statistics).text();
  for (const OperationGroup* group : stages_of(statistics)) {
    text += fmt::format("\n{} {}\n", group->engine, group->name);
    const std::vector<Bin> bins = bins_of(group->durations);
    std::uint64_t most = 0;
    for (const Bin& bin : bins) most = std::max(most, bin.count);
    for (const Bin& bin : bins) {
      const std::uint64_t bar = (bin.count * width + most - 1) / most;
      text += fmt::format("  {:>12} to {:>12}  {:>8}  {}", readable_time(to_ns(bin.from)),
                          readable_time(to_ns(bin.to)), bin.count, std::string(bar, '#'));
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
  }
  return text;
}

}  // namespace kernbench
