#include "platform/report/server_windows.h"

#include <algorithm>
#include <map>

namespace kernbench {
namespace {

bool overlaps(const WindowRow& window, Fs from, Fs to) {
  return window.name.compare(0, 5, "time ") == 0 && window.end > from && window.begin < to;
}

}  // namespace

ServerWindows::ServerWindows(EventSource& events,
                             std::function<bool(const std::string& name)> keeps)
    : keeps_(std::move(keeps)), server_rows_(events.rows<ServerRow>(), *this),
      window_rows_(events.rows<WindowRow>(), *this), use_rows_(events.rows<ServerUseRow>(), *this) {
}

void ServerWindows::write(const WindowRow& row) {
  keeps_last_ = !keeps_ || keeps_(row.name);
  if (keeps_last_) windows_.push_back({row, {}});
}

void ServerWindows::write(const ServerUseRow& row) {
  if (keeps_last_) windows_.back().use.push_back(row);
}

std::vector<std::string> ServerWindows::names() const {
  std::vector<std::string> names;
  for (const Window& window : windows_) {
    if (!window.use.empty()) names.push_back(window.row.name);
  }
  return names;
}

WindowRow ServerWindows::window(const std::string& name) const {
  for (const Window& window : windows_) {
    if (window.row.name == name) return window.row;
  }
  return {};
}

WindowRow ServerWindows::window(Fs from, Fs to) const {
  WindowRow all;
  for (const Window& window : windows_) {
    if (!overlaps(window.row, from, to)) continue;
    if (all.length == 0) all.begin = window.row.begin;
    all.end = window.row.end;
    all.length += window.row.length;
  }
  return all;
}

Table ServerWindows::table(const std::string& name) const {
  for (const Window& window : windows_) {
    if (window.row.name == name) return table_of(window.use, window.row.length);
  }
  return table_of({}, 0);
}

Table ServerWindows::table(Fs from, Fs to) const {
  std::map<std::uint64_t, ServerUseRow> sums;
  for (const Window& window : windows_) {
    if (!overlaps(window.row, from, to)) continue;
    for (const ServerUseRow& use : window.use) {
      ServerUseRow& sum = sums[use.server];
      sum.server = use.server;
      sum += use;
    }
  }
  std::vector<ServerUseRow> use;
  for (const auto& [server, sum] : sums) use.push_back(sum);
  return table_of(use, window(from, to).length);
}

Table ServerWindows::table_of(const std::vector<ServerUseRow>& use, Fs length) const {
  struct Used {
    const ServerRow* server;
    const ServerUseRow* use;
    double share;
  };
  std::vector<Used> sorted;
  for (const ServerUseRow& each : use) {
    const auto server = servers_.find(each.server);
    if (server == servers_.end()) continue;
    const double time = static_cast<double>(length) * static_cast<double>(server->second.places);
    sorted.push_back({&server->second, &each,
                      time == 0 ? 0 : std::min(1.0, static_cast<double>(each.busy) / time)});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Used& a, const Used& b) { return a.share > b.share; });
  Table table = Table("servers", {{"name", "server"},
                                  {"part", "part"},
                                  Table::Column::data_only("src"),
                                  Table::Column::data_only("dst"),
                                  {"resource", "resource"},
                                  {"kind", "kind"},
                                  {"places", "places"},
                                  {"busy_ns", "busy"},
                                  {"utilisation", "of window"},
                                  {"stalled_ns", "stalled"},
                                  {"bytes", "bytes"}})
                    .with_keys(2);
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Cell() : text; };
  for (const auto& [server, times, share] : sorted) {
    Cell stalled = NoneCell(), bytes = NoneCell();
    if (times->stalled) stalled = TimeCell{*times->stalled};
    if (times->bytes > 0) bytes = times->bytes;
    table.add({server->name, text_or_null(server->part), text_or_null(server->src),
               text_or_null(server->dst), server->resource, server->kind, server->places,
               TimeCell{times->busy}, ShareCell{share}, stalled, bytes});
  }
  return table;
}

}  // namespace kernbench
