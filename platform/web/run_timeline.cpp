#include "platform/web/run_timeline.h"

#include <algorithm>
#include <array>

#include "platform/report/operation_names.h"
#include "platform/web/run_places.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lanes = 200, most_kernel_lanes = 64, most_pes_with_engines = 16;
constexpr std::uint32_t several = UINT32_MAX;

bool is_in(const std::string& place, const std::string& scope) {
  return scope.empty() || place == scope ||
         (place.size() > scope.size() && place.compare(0, scope.size(), scope) == 0 &&
          place[scope.size()] == '.');
}

}  // namespace

RunTimeline::RunTimeline(const SQLite::Database& log, const std::vector<LaunchRow>& launches,
                         bool operations) {
  for (const LaunchRow& launch : launches)
    add({"", Kind::launch, 0, launch.device}, launch.issued, launch.ended, label_of(launch.kernel));
  read_kernels(log);
  if (operations) read_operations(log);
  for (auto& [key, lane] : lanes_) {
    std::tie(lane.place, lane.kind, std::ignore, lane.name) = key;
    if (!lane.place.empty()) ++pes_[lane.place];
    std::stable_sort(lane.bars.begin(), lane.bars.end(),
                     [](const Bar& a, const Bar& b) { return a.start < b.start; });
    for (const Bar& bar : lane.bars) {
      lane.longest = std::max(lane.longest, bar.end - bar.start);
      end_ = std::max(end_, bar.end);
    }
  }
}

std::uint32_t RunTimeline::label_of(const std::string& text) {
  const auto [found, is_new] = label_ids_.emplace(text, static_cast<std::uint32_t>(labels_.size()));
  if (is_new) labels_.push_back(text);
  return found->second;
}

void RunTimeline::add(const Key& key, Fs start, Fs end, std::uint32_t label) {
  lanes_[key].bars.push_back({start, std::max(start, end), label, 1});
}

void RunTimeline::read_kernels(const SQLite::Database& log) {
  const auto time = [](SQLite::Statement& rows, int column) {
    return static_cast<Fs>(rows.getColumn(column).getInt64());
  };
  SQLite::Statement runs(log, "SELECT pe, kernel, t_start_fs, t_end_fs, stream FROM runs");
  while (runs.executeStep()) {
    const int stream = runs.getColumn(4).getInt();
    add({runs.getColumn(0).getString(), Kind::kernel, stream,
         stream == 0 ? "kernel" : "kernel, stream " + std::to_string(stream)},
        time(runs, 2), time(runs, 3), label_of(runs.getColumn(1).getString()));
  }
  SQLite::Statement waits(log, "SELECT pe, reason, command_kind, t_start_fs, t_end_fs FROM waits");
  while (waits.executeStep()) {
    std::string label = waits.getColumn(1).getString();
    if (label == "command" && !waits.isColumnNull(2)) label = waits.getColumn(2).getString();
    add({waits.getColumn(0).getString(), Kind::stall, 0, "stalls"}, time(waits, 3), time(waits, 4),
        label_of(label));
  }
}

void RunTimeline::read_operations(const SQLite::Database& log) {
  // Per pair of node and name: the lane, found once.
  struct Place {
    Lane *engine = nullptr, *commands = nullptr;
    std::uint32_t label = 0;
  };
  std::map<std::pair<std::string, std::string>, Place> places;
  SQLite::Statement ops(
      log, "SELECT node, name, t_start_fs, t_end_fs, command > 0 AND tile IS NULL FROM ops");
  std::pair<std::string, std::string> key;
  while (ops.executeStep()) {
    key.first = ops.getColumn(0).getText();
    key.second = ops.getColumn(1).getText();
    const auto [found, is_new] = places.try_emplace(key);
    Place& place = found->second;
    if (is_new) {
      const std::string pe = scope_of(key.first), engine = key.first.substr(pe.size() + 1);
      const std::string part = part_of_operation(engine, key.second);
      const bool is_span = engine == "pe_scheduler" || engine == "pe_ipcq";
      place.label = label_of(key.second);
      if (!is_span)
        place.engine = &lanes_[{pe, Kind::engine, order_of(part),
                                part == "gemm" || part == "math" ? engine : engine + ' ' + part}];
      place.commands =
          &lanes_[{pe, Kind::command, is_span ? 0 : 1, is_span ? engine : "commands of " + engine}];
    }
    const Bar bar{static_cast<Fs>(ops.getColumn(2).getInt64()),
                  static_cast<Fs>(ops.getColumn(3).getInt64()), place.label, 1};
    if (place.engine != nullptr) place.engine->bars.push_back(bar);
    if (ops.getColumn(4).getInt() != 0) place.commands->bars.push_back(bar);
  }
  for (auto lane = lanes_.begin(); lane != lanes_.end();)
    lane = lane->second.bars.empty() ? lanes_.erase(lane) : std::next(lane);
}

// Kernels of many PEs: a lane per cube or SIP, with the number of PEs that run one.
std::vector<RunTimeline::Lane> RunTimeline::kernels_in(const std::string& scope) const {
  std::map<std::string, std::vector<const Lane*>> groups;
  for (int parts : {3, 2, 1}) {
    groups.clear();
    for (const auto& [key, lane] : lanes_)
      if (lane.kind == Kind::kernel && is_in(lane.place, scope))
        groups[first_parts(lane.place, parts)].push_back(&lane);
    if (groups.size() <= most_kernel_lanes) break;
  }
  std::vector<Lane> lanes;
  for (const auto& [place, members] : groups) {
    struct Change {
      Fs time;
      int by;
    };
    std::map<std::uint32_t, std::vector<Change>> changes;  // by label
    for (const Lane* member : members) {
      for (const Bar& bar : member->bars) {
        changes[bar.label].push_back({bar.start, 1});
        changes[bar.label].push_back({bar.end, -1});
      }
    }
    Lane lane{place, "kernels", Kind::kernel, 0, {}};
    for (auto& [label, of_label] : changes) {
      std::sort(of_label.begin(), of_label.end(), [](const Change& a, const Change& b) {
        return a.time != b.time ? a.time < b.time : a.by > b.by;
      });
      std::uint32_t running = 0;
      Bar bar{0, 0, label, 0};
      for (const Change& change : of_label) {
        if (running == 0) bar = {change.time, 0, label, 0};
        running += static_cast<std::uint32_t>(change.by);
        bar.count = std::max(bar.count, running);
        if (running > 0) continue;
        bar.end = change.time;
        lane.bars.push_back(bar);
        lane.longest = std::max(lane.longest, bar.end - bar.start);
      }
    }
    std::stable_sort(lane.bars.begin(), lane.bars.end(),
                     [](const Bar& a, const Bar& b) { return a.start < b.start; });
    lanes.push_back(std::move(lane));
  }
  return lanes;
}

std::vector<const RunTimeline::Lane*> RunTimeline::lanes_in(const std::string& scope) const {
  std::size_t pes = 0;
  for (const auto& [pe, lanes] : pes_) pes += is_in(pe, scope) ? 1 : 0;
  std::vector<const Lane*> lanes;
  for (const auto& [key, lane] : lanes_) {
    if (lane.kind == Kind::launch) {
      const std::string sip = first_parts(scope, 1);
      const std::string devices = ',' + lane.name + ',';
      if (scope.empty() || devices.find(',' + sip + ',') != std::string::npos)
        lanes.push_back(&lane);
      continue;
    }
    if (!is_in(lane.place, scope)) continue;
    const bool shown = pes == 1                       ? true
                       : pes <= most_pes_with_engines ? lane.kind == Kind::engine
                                                      : false;
    if (shown) lanes.push_back(&lane);
  }
  return lanes;
}

std::vector<RunTimeline::Bar> RunTimeline::cut(const Lane& lane, Fs from, Fs to, Fs bin) {
  std::vector<Bar> bars;
  std::size_t group = SIZE_MAX;  // index of the merged bar, of the bin `group_bin`
  Fs group_bin = 0;
  const Fs begin = from > lane.longest ? from - lane.longest : 0;
  auto at = std::lower_bound(lane.bars.begin(), lane.bars.end(), begin,
                             [](const Bar& bar, Fs time) { return bar.start < time; });
  for (; at != lane.bars.end() && at->start < to; ++at) {
    if (at->end <= from && at->end > at->start) continue;
    if (at->end < from) continue;
    if (at->end - at->start >= bin) {
      bars.push_back(*at);
      continue;
    }
    const Fs in_bin = at->start / bin;
    if (group == SIZE_MAX || in_bin != group_bin) {
      group = bars.size();
      group_bin = in_bin;
      bars.push_back(*at);
      continue;
    }
    Bar& merged = bars[group];
    merged.end = std::max(merged.end, at->end);
    merged.count += at->count;
    if (merged.label != at->label) merged.label = several;
  }
  return bars;
}

Json RunTimeline::json(const std::string& scope, Fs from, Fs to, std::size_t bins) const {
  const Fs bin = std::max<Fs>(1, (to - from) / bins);
  std::vector<Lane> kernels;
  std::vector<const Lane*> all = lanes_in(scope);
  const bool has_kernels = std::any_of(all.begin(), all.end(),
                                       [](const Lane* lane) { return lane->kind == Kind::kernel; });
  if (!has_kernels) {
    kernels = kernels_in(scope);
    const auto after_launches = std::find_if(
        all.begin(), all.end(), [](const Lane* lane) { return lane->kind != Kind::launch; });
    std::vector<const Lane*> added;
    for (const Lane& lane : kernels) added.push_back(&lane);
    all.insert(after_launches, added.begin(), added.end());
  }
  constexpr std::array<const char*, 5> kinds{"launch", "kernel", "stall", "command", "engine"};
  std::map<std::uint32_t, std::size_t> used;
  Json labels = Json::array(), lanes = Json::array();
  for (const Lane* lane : all) {
    if (lanes.size() == most_lanes) break;
    Json bars = Json::array();
    for (const Bar& bar : cut(*lane, from, to, bin)) {
      const auto [found, is_new] = used.emplace(bar.label, labels.size());
      if (is_new) labels.push_back(bar.label == several ? "several" : labels_[bar.label]);
      bars.push_back({bar.start, bar.end, found->second, bar.count});
    }
    lanes.push_back({{"name", lane->name},
                     {"place", lane->place},
                     {"kind", kinds[static_cast<std::size_t>(lane->kind)]},
                     {"bars", std::move(bars)}});
  }
  const std::size_t left_out = all.size() - lanes.size();
  return {{"from_fs", from},
          {"to_fs", to},
          {"labels", std::move(labels)},
          {"lanes", std::move(lanes)},
          {"lanes_left_out", left_out}};
}

}  // namespace kernbench
