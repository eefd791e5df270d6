#include "platform/report/server_windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/report/option_values.h"
#include "platform/report/report.h"

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

void ServerWindows::for_each_used(
    const std::string& name,
    const std::function<void(const ServerRow&, const ServerUseRow&)>& visit) const {
  for (const Window& window : windows_) {
    if (window.row.name != name) continue;
    for (const ServerUseRow& use : window.use) {
      const auto server = servers_.find(use.server);
      if (server != servers_.end()) visit(server->second, use);
    }
  }
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
    Cell bytes;
    if (times->bytes > 0) bytes = times->bytes;
    table.add({server->name, text_or_null(server->part), text_or_null(server->src),
               text_or_null(server->dst), server->resource, server->kind, server->places,
               TimeCell{times->busy}, ShareCell{share}, time_cell(times->stalled), bytes});
  }
  return table;
}

namespace {

class ServersReport final : public Report {
 public:
  ServersReport(const ReportContext& context, std::string window)
      : window_(std::move(window)), rows_(context.rows.value_or(20)), windows_(context.events) {}

  void close(Fs /*end*/) override {
    std::vector<std::string> names = windows_.names();
    const bool is_recorded = std::find(names.begin(), names.end(), window_) != names.end();
    const std::optional<std::pair<Fs, Fs>> interval =
        is_recorded ? std::nullopt : interval_of(window_);
    if (interval) {
      shown_ = windows_.window(interval->first, interval->second);
      table_ = windows_.table(interval->first, interval->second);
    } else {
      shown_ = windows_.window(window_);
      table_ = windows_.table(window_);
    }
    if (!table_->empty()) return;
    const auto is_interval = [](const std::string& name) {
      return name.compare(0, 5, "time ") == 0;
    };
    const bool has_intervals = std::any_of(names.begin(), names.end(), is_interval);
    names.erase(std::remove_if(names.begin(), names.end(), is_interval), names.end());
    for (std::string& name : names) name = quote(name);
    throw UsageError(fmt::format(
        "--servers {}: no server was used in such a window; there are {}{}", quote(window_),
        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
        has_intervals ? ", and FROM:TO in ns" : ""));
  }
  std::string text() override {
    return fmt::format("window {}: {}\n\n", window_, time_text()) + table_->text("", rows_);
  }
  Json json() override { return table_->json(); }
  void add_to(Json& json, const char* name) override {
    json["window"] = {{"name", window_},
                      {"from_ns", ns_json(shown_.begin)},
                      {"to_ns", ns_json(shown_.end)},
                      {"length_ns", ns_json(shown_.length)}};
    json[name] = this->json();
  }
  std::optional<Table> table() override { return table_; }

 private:
  // a window may have several parts
  std::string time_text() const {
    return fmt::format("{}, from {} to {}", readable_time(to_ns(shown_.length)),
                       readable_time(to_ns(shown_.begin)), readable_time(to_ns(shown_.end)));
  }
  static std::optional<std::pair<Fs, Fs>> interval_of(const std::string& window) {
    if (window.find(':') == std::string::npos) return {};
    return interval_option("--servers", window);
  }

  std::string window_;
  std::size_t rows_;
  WindowRow shown_;
  ServerWindows windows_;
  std::optional<Table> table_;
};

struct ServersOptions final : ReportOptions {
  std::string window;  // empty: pe
  const CLI::Option* option = nullptr;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    if (option->count() == 0) return nullptr;
    return std::make_unique<ServersReport>(context, window.empty() ? "pe" : window);
  }
};

std::unique_ptr<ReportOptions> declare_servers(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<ServersOptions>();
  options->option =
      command
          .add_option(
              "--servers", options->window,
              "Busy times, stall times and bytes of all servers in a window of the run, the "
              "busiest first: pe (kernels), host, 'region LABEL', 'kernel NAME', 'launch N' "
              "or FROM:TO in ns, rounded to recorded intervals (default: pe)")
          ->type_name("WINDOW")
          ->expected(0, 1)
          ->group(report_group);
  return options;
}

const ReportRegistration servers_registration({15, "servers", ReportSource::log}, declare_servers);

}  // namespace

}  // namespace kernbench
