#include "platform/web/logged_run.h"

#include <algorithm>
#include <chrono>

#include "platform/report/operator_times.h"
#include "platform/web/web_request.h"

namespace kernbench {

using Json = nlohmann::ordered_json;

std::shared_ptr<const RunTimeline> LoggedRun::read_bars(const std::string& log,
                                                        const std::vector<LaunchRow>& launches) {
  const SQLite::Database own(log, SQLite::OPEN_READONLY);
  return std::make_shared<const RunTimeline>(own, launches, true);
}

LoggedRun::LoggedRun(const std::string& title, const std::string& path,
                     const ServedMachine& machine, BarsReader reader)
    : ServedRun(title, path, machine), OpenedLog(path), reader_(std::move(reader)) {
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
  return {{"kind", "log"},
          {"status", fact("status")},
          {"error", fact("error").empty() ? Json() : Json(fact("error"))},
          {"bench", fact("bench")},
          {"end_fs", end_},
          {"has_windows", has_windows_},
          {"operations", operations_},
          {"command", fact("command_line")}};
}

const RunServers& LoggedRun::servers() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!servers_)
    reading([this] { servers_ = std::make_unique<RunServers>(database(), end_, machine()); });
  return *servers_;
}

const RunPlaces& LoggedRun::places() {
  const RunServers& used = servers();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (places_) return *places_;
  auto places = std::make_unique<RunPlaces>(machine());
  used.add_to(*places);
  reading([&] {
    // Kernels, and operators that have other names.
    for (const char* rows : {"SELECT kernel, pe, min(t_start_fs), max(t_end_fs) FROM runs "
                             "GROUP BY kernel, pe",
                             "SELECT name, pe, min(t_start_fs), max(runs.t_end_fs) FROM runs "
                             "JOIN launch_work USING (request) WHERE name != kernel "
                             "GROUP BY name, pe"}) {
      SQLite::Statement runs(database(), rows);
      while (runs.executeStep())
        places->add_run(runs.getColumn(0).getString(), runs.getColumn(1).getString(),
                        static_cast<Fs>(runs.getColumn(2).getInt64()),
                        static_cast<Fs>(runs.getColumn(3).getInt64()));
    }
  });
  places_ = std::move(places);
  return *places_;
}

ServedRun::Use LoggedRun::utilisation(const WebInterval& interval) {
  return servers().utilisation(interval);
}
Json LoggedRun::place(const std::string& name, const WebInterval& interval, std::size_t most) {
  return servers().place(name, interval, most);
}
Json LoggedRun::overview(std::size_t bins) { return servers().overview(bins); }

// --- Bars and reports

std::shared_ptr<const RunTimeline> LoggedRun::bars(std::uint64_t wait_ms) {
  std::shared_future<std::shared_ptr<const RunTimeline>> timeline;
  {
    const std::lock_guard<std::mutex> lock(timeline_mutex_);
    if (!timeline_.valid())
      timeline_ = std::async(std::launch::async, [this] {
                    std::shared_ptr<const RunTimeline> read;
                    reading([&] { read = reader_(ServedRun::path(), launches()); });
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
  if (!scope.empty() && machine().place_of(scope).empty()) machine().place(scope);  // throws
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
  const RunPlaces& of_rows = places();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!reports_)
    reports_ = std::make_unique<RunReports>(ServedRun::path(), RunReports::Size{operations_, hops_},
                                            machine(), of_rows);
  return *reports_;
}

void LoggedRun::prepare() {
  servers();
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
  const RunPlaces& of_rows = places();
  std::vector<LaunchWorkRow> work;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reading([&] {
      SQLite::Statement rows(
          database(), select_statement(LaunchWorkRow::table, column_texts<LaunchWorkRow>(), false,
                                       "ORDER BY rowid"));
      while (rows.executeStep()) read_row(rows, false, work.emplace_back());
    });
  }
  const OperatorSummary sum = operators_of(work);
  const double sips = static_cast<double>(std::max<std::size_t>(1, sum.sips));
  // Rates of one SIP.
  Json peaks = Json::array(), points = Json::array(), communication = Json::array();
  if (sum.peak_macs_per_ns > 0)
    peaks.push_back({{"name", "compute"}, {"gflops", 2 * sum.peak_macs_per_ns / sips}});
  if (sum.peak_hbm_gbs > 0) peaks.push_back({{"name", "HBM"}, {"gbs", sum.peak_hbm_gbs / sips}});
  for (const OperatorTimes& each : sum.operators) {
    if (each.is_communication) communication.push_back(each.name);
    if (each.is_communication || each.time == 0) continue;
    const auto flops = static_cast<double>(each.flops());
    points.push_back(
        {{"kernel", each.name},
         {"place", of_rows.of_text(each.name)},
         {"launches", each.launches},
         {"flops", each.flops()},
         {"hbm_bytes", each.hbm_bytes},
         {"time_fs", each.time},
         {"intensity",
          each.hbm_bytes == 0 ? Json() : Json(flops / static_cast<double>(each.hbm_bytes))},
         {"rate", flops / to_ns(each.time)},
         {"bound", each.bound()}});
  }
  return {{"peaks", std::move(peaks)},
          {"points", std::move(points)},
          {"communication", std::move(communication)},
          {"sips", sum.sips}};
}

}  // namespace kernbench
