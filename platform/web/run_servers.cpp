#include "platform/web/run_servers.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "models/base/role.h"
#include "platform/topology/machine_message.h"
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

}  // namespace

RunServers::RunServers(const SQLite::Database& log, Fs end, const ServedMachine& machine)
    : machine_(machine), end_(end) {
  std::map<std::uint64_t, std::size_t> places;  // by id
  for_each_row<ServerRow>(log, "ORDER BY id", [&](const ServerRow& row) {
    Server server;
    server.row = row;
    if (row.src.empty()) {
      server.node = machine_.graph().find(row.name).value_or(no_node);
    } else {
      server.link = machine_.find_link(row.src + " > " + row.dst);
    }
    places[row.id] = servers_.size();
    servers_.push_back(std::move(server));
  });
  std::map<std::uint64_t, std::size_t> of_time;  // index by id
  std::optional<WindowRow> pe, host;
  for_each_row<WindowRow>(log, "ORDER BY id", [&](const WindowRow& row) {
    if (row.name == "pe") pe = row;
    if (row.name == "host") host = row;
    if (row.name.compare(0, 5, "time ") != 0) return;
    of_time[row.id] = time_windows_.size();
    time_windows_.push_back(row);
  });
  if (!pe || pe->length == 0) pe = host;
  if (pe) whole_ = {pe->name, pe->begin, pe->end, pe->length};
  for_each_row<ServerUseRow>(log, "ORDER BY rowid", [&](const ServerUseRow& row) {
    const auto server = places.find(row.server);
    if (server == places.end()) return;
    if (const auto window = of_time.find(row.window); window != of_time.end()) {
      servers_[server->second].windows.emplace_back(window->second, row);
    } else if (pe && row.window == pe->id) {
      servers_[server->second].whole = row;
    }
  });
}

RunServers::Windows RunServers::windows_of(const WebInterval& interval) const {
  Windows windows{whole_, 0, 0};
  if (interval.is_whole()) return windows;
  const Fs from = interval.from.value_or(0), to = interval.to.value_or(end_);
  windows.used = {"time", 0, 0, 0};
  // Windows that overlap [from, to), as ServerWindows selects them.
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

ServerUse RunServers::use_of(const Server& server, const WebInterval& interval,
                             const Windows& windows) {
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

double RunServers::share_of(const Server& server, const ServerUse& use, Fs length) {
  const double time = static_cast<double>(length) * static_cast<double>(server.row.places);
  return time == 0 ? 0 : std::min(1.0, static_cast<double>(use.busy) / time);
}

ServedRun::Use RunServers::utilisation(const WebInterval& interval) const {
  if (!interval.is_whole() && time_windows_.empty())
    throw WebError(404, "this log has no windows of time: utilisation is that of the whole run");
  const Windows windows = windows_of(interval);
  std::vector<Utilisation::ServerShare> shares;
  for (const Server& server : servers_) {
    if (server.link == nullptr && server.node == no_node) continue;
    const ServerUse use = use_of(server, interval, windows);
    if (use.empty()) continue;
    shares.push_back({server.node, server.link, share_of(server, use, windows.used.length),
                      server.row.kind == "slot"});
  }
  return {Utilisation::of_servers(shares, machine_.graph()), windows.used};
}

Json RunServers::server_json(const Server& server, const ServerUse& use, double share) const {
  const std::string place =
      server.link == nullptr ? server.row.name : machine_.link_name(*server.link);
  return {{"name", server.row.part.empty() ? place : place + ' ' + server.row.part},
          {"place", place},
          {"part", server.row.part},
          {"resource", server.row.resource},
          {"kind", server.row.kind},
          {"places", server.row.places},
          {"busy_fs", use.busy},
          {"share", share_json(share)},
          {"stalled_fs", use.stalled ? Json(*use.stalled) : Json()},
          {"bytes", use.bytes == 0 ? Json() : Json(use.bytes)}};
}

void RunServers::add_to(RunPlaces& places) const {
  for (const Server& server : servers_)
    if (!server.whole.empty() && (server.link != nullptr || server.node != no_node))
      places.add_use(server.link == nullptr ? server.row.name : machine_.link_name(*server.link),
                     server.row.resource, share_of(server, server.whole, whole_.length));
}

Json RunServers::place(const std::string& name, const WebInterval& interval,
                       std::size_t most) const {
  const std::string known = machine_.place_of(name);
  if (known.empty() && !name.empty()) machine_.place(name);  // throws
  const Edge* const link =
      known.find(" > ") == std::string::npos ? nullptr : machine_.find_link(known);
  const auto node = machine_.graph().find(known);
  // Bytes of a memory controller are those of its links.
  const auto is_link_of_hbm = [&](const Server& server) {
    return server.link != nullptr && server.link->kind == EdgeKind::router_to_hbm &&
           (server.link->src == *node || server.link->dst == *node) &&
           machine_.graph().node(*node).kind == Role::hbm_ctrl;
  };
  const Windows windows = windows_of(interval);
  std::vector<const Server*> servers;
  const std::string inside = known + '.';
  for (const Server& server : servers_) {
    const bool is_meant = link != nullptr ? server.link == link
                          : node          ? server.node == *node || is_link_of_hbm(server)
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
    list.push_back(server_json(*each.server, each.use, each.share));
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

Json RunServers::overview(std::size_t bins) const {
  if (time_windows_.empty())
    throw WebError(404, "this log has no windows of time: it shows no activity over time");
  enum Class : std::size_t { links, memories, engines, classes };
  const auto class_of = [this](const Server& server) {
    if (server.link != nullptr) return links;
    if (server.node == no_node || server.row.kind != "rate") return classes;
    const Node& node = machine_.graph().node(server.node);
    if (is_memory(node)) return memories;
    return node.kind < Role::router ? engines : classes;
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

}  // namespace kernbench
