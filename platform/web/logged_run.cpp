#include "platform/web/logged_run.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "models/base/role.h"
#include "platform/report/operator_times.h"
#include "platform/web/web_request.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

template <class Row, class Body>
void for_each_row(const SQLite::Database& database, const std::string& rest, const Body& body) {
  SQLite::Statement rows(database, select_statement(Row::table, column_texts<Row>(), false, rest));
  while (rows.executeStep()) {
    Row row;
    read_row(rows, false, row);
    body(row);
  }
}

bool is_memory(Role role) {
  return role == Role::hbm_ctrl || role == Role::sram || role == Role::pe_tcm ||
         role == Role::tlm_target;
}

}  // namespace

LoggedRun::LoggedRun(const std::string& title, const std::string& path,
                     const ServedMachine& machine)
    : ServedRun(title, path, machine), OpenedLog(path) {
  reading([this] {
    SQLite::Statement ends(database(),
                           "SELECT max(coalesce((SELECT max(t_end_fs) FROM windows), 0), "
                           "coalesce((SELECT max(t_end_fs) FROM launches), 0), "
                           "coalesce((SELECT t_end_fs FROM ops ORDER BY id DESC LIMIT 1), 0))");
    if (ends.executeStep()) end_ = static_cast<Fs>(ends.getColumn(0).getInt64());
    SQLite::Statement windows(database(), "SELECT 1 FROM windows WHERE name LIKE 'time %' LIMIT 1");
    has_windows_ = windows.executeStep();
    SQLite::Statement sizes(database(),
                            "SELECT (SELECT max(id) FROM ops), (SELECT max(rowid) FROM hops)");
    if (sizes.executeStep()) {
      operations_ = static_cast<std::uint64_t>(sizes.getColumn(0).getInt64());
      hops_ = static_cast<std::uint64_t>(sizes.getColumn(1).getInt64());
    }
  });
}

Json LoggedRun::facts() const {
  Json launches = Json::array();
  for (const LaunchRow& launch : this->launches()) {
    if (launches.size() == most_launches) break;
    launches.push_back({{"id", launch.id},
                        {"kernel", launch.kernel},
                        {"device", launch.device},
                        {"begin_fs", launch.issued},
                        {"end_fs", launch.ended}});
  }
  return {{"kind", "log"},
          {"status", fact("status")},
          {"error", fact("error").empty() ? Json() : Json(fact("error"))},
          {"bench", fact("bench")},
          {"end_fs", end_},
          {"has_windows", has_windows_},
          {"operations", operations_},
          {"launch_count", this->launches().size()},
          {"launches", std::move(launches)},
          {"command", fact("command_line")}};
}

// --- Servers

void LoggedRun::read_servers() {
  if (servers_are_read_) return;
  reading([this] {
    std::map<std::uint64_t, std::size_t> places;  // by id
    for_each_row<ServerRow>(database(), "ORDER BY id", [&](const ServerRow& row) {
      Server server;
      server.row = row;
      if (row.src.empty()) {
        server.node = machine().graph().find(row.name).value_or(no_node);
      } else {
        server.link = machine().find_link(row.src + " > " + row.dst);
      }
      places[row.id] = servers_.size();
      servers_.push_back(std::move(server));
    });
    std::map<std::uint64_t, std::size_t> of_time;  // index by id
    std::optional<WindowRow> pe, host;
    for_each_row<WindowRow>(database(), "ORDER BY id", [&](const WindowRow& row) {
      if (row.name == "pe") pe = row;
      if (row.name == "host") host = row;
      if (row.name.compare(0, 5, "time ") != 0) return;
      of_time[row.id] = time_windows_.size();
      time_windows_.push_back(row);
    });
    if (!pe || pe->length == 0) pe = host;
    if (pe) whole_ = {pe->name, pe->begin, pe->end, pe->length};
    for_each_row<ServerUseRow>(database(), "ORDER BY rowid", [&](const ServerUseRow& row) {
      const auto server = places.find(row.server);
      if (server == places.end()) return;
      if (const auto window = of_time.find(row.window); window != of_time.end()) {
        servers_[server->second].windows.emplace_back(window->second, row);
      } else if (pe && row.window == pe->id) {
        servers_[server->second].whole = row;
      }
    });
  });
  servers_are_read_ = true;
}

LoggedRun::Windows LoggedRun::windows_of(const WebInterval& interval) const {
  Windows windows{whole_, 0, 0};
  if (interval.is_whole()) return windows;
  const Fs from = interval.from.value_or(0), to = interval.to.value_or(end_);
  windows.used = {"time", 0, 0, 0};
  // As ServerWindows: windows that overlap [from, to).
  while (windows.first < time_windows_.size() && time_windows_[windows.first].end <= from)
    ++windows.first;
  windows.last = windows.first;
  for (; windows.last < time_windows_.size() && time_windows_[windows.last].begin < to;
       ++windows.last)
    windows.used.length += time_windows_[windows.last].length;
  if (windows.last > windows.first) {
    windows.used.begin = time_windows_[windows.first].begin;
    windows.used.end = time_windows_[windows.last - 1].end;
  }
  return windows;
}

ServerUse LoggedRun::use_of(const Server& server, const WebInterval& interval,
                            const Windows& windows) const {
  if (interval.is_whole()) return server.whole;
  ServerUse sum;
  auto each =
      std::lower_bound(server.windows.begin(), server.windows.end(), windows.first,
                       [](const auto& window, std::size_t index) { return window.first < index; });
  bool is_first = true;
  for (; each != server.windows.end() && each->first < windows.last; ++each) {
    if (is_first) {
      sum = each->second;
    } else {
      sum += each->second;
    }
    is_first = false;
  }
  return sum;
}

double LoggedRun::share_of(const Server& server, const ServerUse& use, Fs length) {
  const double time = static_cast<double>(length) * static_cast<double>(server.row.places);
  return time == 0 ? 0 : std::min(1.0, static_cast<double>(use.busy) / time);
}

ServedRun::Use LoggedRun::utilisation(const WebInterval& interval) {
  const std::lock_guard<std::mutex> lock(mutex_);
  read_servers();
  if (!interval.is_whole() && time_windows_.empty())
    throw WebError(404, "this log has no windows of time: utilisation is that of the whole run");
  const Windows windows = windows_of(interval);
  std::vector<Utilisation::ServerShare> shares;
  for (const Server& server : servers_) {
    if (server.link == nullptr && (server.node == no_node || server.row.kind != "rate")) continue;
    const ServerUse use = use_of(server, interval, windows);
    if (use.empty()) continue;
    shares.push_back({server.node, server.link, share_of(server, use, windows.used.length)});
  }
  return {Utilisation::of_servers(shares, machine().graph()), windows.used};
}

Json LoggedRun::server_json(const Server& server, const ServerUse& use, Fs length) const {
  const std::string place =
      server.link == nullptr ? server.row.name : machine().link_name(*server.link);
  return {{"name", server.row.part.empty() ? place : place + ' ' + server.row.part},
          {"place", place},
          {"part", server.row.part},
          {"resource", server.row.resource},
          {"kind", server.row.kind},
          {"places", server.row.places},
          {"busy_fs", use.busy},
          {"share", share_json(share_of(server, use, length))},
          {"stalled_fs", use.stalled ? Json(*use.stalled) : Json()},
          {"bytes", use.bytes == 0 ? Json() : Json(use.bytes)}};
}

Json LoggedRun::place(const std::string& name, const WebInterval& interval, std::size_t most) {
  const std::string known = machine().place_of(name);
  if (known.empty() && !name.empty()) machine().place(name);  // throws
  const Edge* const link =
      known.find(" > ") == std::string::npos ? nullptr : machine().find_link(known);
  const auto node = machine().graph().find(known);
  const std::lock_guard<std::mutex> lock(mutex_);
  read_servers();
  const Windows windows = windows_of(interval);
  std::vector<const Server*> servers;
  const std::string inside = known + '.';
  for (const Server& server : servers_) {
    const bool is_meant = link != nullptr ? server.link == link
                          : node          ? server.node == *node
                          : known.empty() ? true
                                          : server.row.name.compare(0, inside.size(), inside) == 0;
    if (is_meant) servers.push_back(&server);
  }
  struct Shown {
    const Server* server;
    ServerUse use;
    double share;
  };
  std::vector<Shown> shown;
  for (const Server* server : servers) {
    const ServerUse use = use_of(*server, interval, windows);
    shown.push_back({server, use, share_of(*server, use, windows.used.length)});
  }
  std::stable_sort(shown.begin(), shown.end(),
                   [](const Shown& a, const Shown& b) { return a.share > b.share; });
  Json list = Json::array();
  for (const Shown& each : shown) {
    if (list.size() == most) break;
    list.push_back(server_json(*each.server, each.use, windows.used.length));
  }
  // The busiest server and the sums of all by window.
  Json by_window = Json::array();
  std::vector<double> share(time_windows_.size(), 0);
  std::vector<std::uint64_t> bytes(time_windows_.size(), 0), stalled(time_windows_.size(), 0);
  for (const Server* server : servers) {
    for (const auto& [window, use] : server->windows) {
      share[window] = std::max(share[window], share_of(*server, use, time_windows_[window].length));
      bytes[window] += use.bytes;
      stalled[window] += use.stalled.value_or(0);
    }
  }
  for (std::size_t i = 0; i < time_windows_.size(); ++i)
    by_window.push_back({{"begin_fs", time_windows_[i].begin},
                         {"end_fs", time_windows_[i].end},
                         {"share", share_json(share[i])},
                         {"stalled_fs", stalled[i]},
                         {"bytes", bytes[i]}});
  return {{"name", known},
          {"window", windows.used.json()},
          {"servers", std::move(list)},
          {"server_count", servers.size()},
          {"windows", std::move(by_window)}};
}

Json LoggedRun::overview(std::size_t bins) {
  const std::lock_guard<std::mutex> lock(mutex_);
  read_servers();
  if (time_windows_.empty())
    throw WebError(404, "this log has no windows of time: it shows no activity over time");
  enum Class : std::size_t { links, memories, engines, classes };
  const auto class_of = [this](const Server& server) {
    if (server.link != nullptr) return links;
    if (server.node == no_node || server.row.kind != "rate") return classes;
    const Role role = machine().graph().node(server.node).kind;
    if (is_memory(role)) return memories;
    return role < Role::router ? engines : classes;
  };
  const std::size_t count = std::min(bins, time_windows_.size());
  struct Bin {
    Fs begin = 0, end = 0, length = 0;
    std::array<double, classes> busy{}, most{};  // busy: sum of times
  };
  std::vector<Bin> list(count);
  std::vector<std::size_t> bin_of(time_windows_.size());
  for (std::size_t i = 0; i < time_windows_.size(); ++i) {
    bin_of[i] = i * count / time_windows_.size();
    Bin& bin = list[bin_of[i]];
    if (bin.length == 0) bin.begin = time_windows_[i].begin;
    bin.end = time_windows_[i].end;
    bin.length += time_windows_[i].length;
  }
  std::array<std::uint64_t, classes> places{};
  for (const Server& server : servers_) {
    const Class of = class_of(server);
    if (of == classes) continue;
    places[of] += server.row.places;
    std::vector<double> busy(count, 0);
    for (const auto& [window, use] : server.windows)
      busy[bin_of[window]] += static_cast<double>(use.busy);
    for (std::size_t i = 0; i < count; ++i) {
      list[i].busy[of] += busy[i];
      const double time =
          static_cast<double>(list[i].length) * static_cast<double>(server.row.places);
      if (time > 0) list[i].most[of] = std::max(list[i].most[of], std::min(1.0, busy[i] / time));
    }
  }
  Json rows = Json::array();
  for (const Bin& bin : list) {
    const auto mean = [&](Class of) {
      const double time = static_cast<double>(bin.length) * static_cast<double>(places[of]);
      return share_json(time == 0 ? 0 : bin.busy[of] / time);
    };
    rows.push_back({{"begin_fs", bin.begin},
                    {"end_fs", bin.end},
                    {"links", mean(links)},
                    {"memories", mean(memories)},
                    {"engines", mean(engines)},
                    {"busiest_link", share_json(bin.most[links])},
                    {"busiest_memory", share_json(bin.most[memories])},
                    {"busiest_engine", share_json(bin.most[engines])}});
  }
  return {{"begin_fs", time_windows_.front().begin},
          {"end_fs", time_windows_.back().end},
          {"windows", time_windows_.size()},
          {"bins", std::move(rows)}};
}

// --- Bars and reports

std::shared_ptr<const RunTimeline> LoggedRun::bars(std::uint64_t wait_ms) {
  std::shared_future<std::shared_ptr<const RunTimeline>> timeline;
  {
    const std::lock_guard<std::mutex> lock(timeline_mutex_);
    if (!timeline_.valid())
      timeline_ = std::async(std::launch::async, [this] {
                    std::shared_ptr<const RunTimeline> read;
                    reading([&] {
                      const SQLite::Database own(ServedRun::path(), SQLite::OPEN_READONLY);
                      read = std::make_shared<const RunTimeline>(own, launches(), true);
                    });
                    return read;
                  }).share();
    timeline = timeline_;
  }
  if (timeline.wait_for(std::chrono::milliseconds(wait_ms)) != std::future_status::ready)
    return nullptr;
  return timeline.get();
}

const RunTimeline& LoggedRun::kernel_bars() {
  const std::lock_guard<std::mutex> lock(timeline_mutex_);
  reading([this] {
    if (kernels_) return;
    const SQLite::Database own(ServedRun::path(), SQLite::OPEN_READONLY);
    kernels_ = std::make_unique<RunTimeline>(own, launches(), false);
  });
  return *kernels_;
}

Json LoggedRun::timeline(const std::string& scope, const WebInterval& interval, std::size_t bins,
                         std::uint64_t wait_ms) {
  const std::shared_ptr<const RunTimeline> all = bars(wait_ms);
  const RunTimeline& timeline = all ? *all : kernel_bars();
  const Fs from = interval.from.value_or(0);
  const Fs to = interval.to.value_or(std::max(end_, timeline.end()));
  if (to <= from) throw WebError(400, "to_fs: the interval is empty");
  Json json = timeline.json(scope, from, to, bins);
  json["complete"] = all != nullptr;
  return json;
}

RunReports& LoggedRun::reports() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!reports_)
    reports_ = std::make_unique<RunReports>(ServedRun::path(), RunReports::Size{operations_, hops_},
                                            machine());
  return *reports_;
}

void LoggedRun::prepare() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    read_servers();
  }
  bars(0);
  reports().tables();
}

Json LoggedRun::summary() {
  Json json{{"file", ServedRun::path()}};
  for (const char* fact : {"bench", "topology", "device", "seed", "data", "ccl", "status", "error",
                           "program_version", "command_line"})
    if (!this->fact(fact).empty()) json[fact] = this->fact(fact);
  json["end_fs"] = end_;
  json["operations"] = operations_;
  for (const auto& [key, value] : reports().summary().items())
    if (!json.contains(key)) json[key] = value;
  return json;
}
Json LoggedRun::table_list() { return reports().tables().list(); }
Json LoggedRun::table(const std::string& name, std::size_t most) {
  return reports().tables().table(name, most);
}
Json LoggedRun::critical_path(std::uint64_t launch) { return reports().critical_path(launch); }

Json LoggedRun::roofline() {
  std::vector<LaunchWorkRow> work;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reading([&] {
      for_each_row<LaunchWorkRow>(database(), "ORDER BY rowid",
                                  [&](const LaunchWorkRow& row) { work.push_back(row); });
    });
  }
  const OperatorSummary sum = operators_of(work);
  const double sips = static_cast<double>(std::max<std::size_t>(1, sum.sips));
  // Rates of one SIP.
  Json peaks = Json::array(), points = Json::array();
  if (sum.peak_macs_per_ns > 0)
    peaks.push_back({{"name", "compute"}, {"gflops", 2 * sum.peak_macs_per_ns / sips}});
  if (sum.peak_hbm_gbs > 0) peaks.push_back({{"name", "HBM"}, {"gbs", sum.peak_hbm_gbs / sips}});
  for (const OperatorTimes& each : sum.operators) {
    if (each.is_communication || each.time == 0) continue;
    const auto flops = static_cast<double>(each.flops());
    points.push_back(
        {{"kernel", each.name},
         {"launches", each.launches},
         {"flops", each.flops()},
         {"hbm_bytes", each.hbm_bytes},
         {"time_fs", each.time},
         {"intensity",
          each.hbm_bytes == 0 ? Json() : Json(flops / static_cast<double>(each.hbm_bytes))},
         {"rate", flops / to_ns(each.time)},
         {"bound", each.bound()}});
  }
  return {{"peaks", std::move(peaks)}, {"points", std::move(points)}, {"sips", sum.sips}};
}

}  // namespace kernbench
