#include "platform/web/run_reports.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "models/base/errors.h"
#include "models/base/units.h"
#include "platform/events/op_log_player.h"
#include "platform/report/critical_path.h"
#include "platform/report/log_comparison.h"
#include "platform/report/report.h"
#include "platform/report/transfer_sums.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_launches = 1000;
// Above, critical paths take too much memory: about 200 bytes per operation and hop.
constexpr std::uint64_t most_hops = 4'000'000, most_kept_operations = 500'000;

std::mutex& playback_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Steps of a long path: those that begin in one of 4000 equal intervals are one, named after the
// longest of them.
std::vector<PathStep> merged(const std::vector<PathStep>& steps) {
  constexpr std::size_t most_steps = 4000;
  if (steps.size() <= most_steps) return steps;
  const Fs begin = steps.front().start;
  const Fs bin = std::max<Fs>(1, (steps.back().end - begin) / most_steps);
  std::vector<PathStep> merged;
  std::size_t count = 0;  // steps in the last one
  Fs longest = 0, of_bin = 0;
  for (const PathStep& step : steps) {
    if (count == 0 || (step.start - begin) / bin != of_bin) {
      of_bin = (step.start - begin) / bin;
      count = 1;
      longest = step.time();
      merged.push_back(step);
      continue;
    }
    const Fs start = merged.back().start;
    if (step.time() > longest) {
      longest = step.time();
      merged.back() = step;
      merged.back().start = start;
    }
    merged.back().end = step.end;
    ++count;
  }
  return merged;
}

// Memories by kind, from an object for each.
Json rows_of(const Json& memories) {
  Json rows = Json::array();
  for (const auto& [kind, counters] : memories.items()) {
    rows.push_back({{"memory", kind}});
    rows.back().update(counters);
  }
  return rows;
}

// `kernel_groups` of `run` (docs/json.md), by name.
Json kernels_of(const std::string& path) {
  const SQLite::Database log(path, SQLite::OPEN_READONLY);
  SQLite::Statement rows(
      log,
      "WITH launched AS (SELECT request, kernel, max(t_end_fs - t_start_fs) AS fs FROM runs GROUP "
      "BY request, kernel) SELECT kernel, count(*), (SELECT count(DISTINCT pe) FROM runs WHERE "
      "runs.kernel = launched.kernel), min(fs), avg(fs), max(fs), (SELECT pe FROM runs WHERE "
      "runs.kernel = launched.kernel ORDER BY t_end_fs - t_start_fs DESC, pe LIMIT 1) FROM "
      "launched GROUP BY kernel");
  const auto ns = [&rows](int column) { return rows.getColumn(column).getDouble() / fs_per_ns; };
  Json list = Json::array();
  while (rows.executeStep()) {
    list.push_back({{"kernel", rows.getColumn(0).getString()},
                    {"launches", rows.getColumn(1).getInt64()},
                    {"pes", rows.getColumn(2).getInt64()},
                    {"pe_exec_min_ns", ns(3)},
                    {"pe_exec_mean_ns", ns(4)},
                    {"pe_exec_max_ns", ns(5)},
                    {"slowest", rows.getColumn(6).getString()}});
  }
  return list;
}

// Members that are neither lists nor objects, and those of objects one level below.
void add_scalars(const Json& json, Json& into) {
  for (const auto& [key, value] : json.items()) {
    if (!value.is_structured()) into[key] = value;
    if (!value.is_object()) continue;
    for (const auto& [inner, of_inner] : value.items())
      if (!of_inner.is_structured()) into[key][inner] = of_inner;
  }
}

// Reports of `inspect` with some of its options. A report without data in the log fails alone.
class AskedReports {
 public:
  AskedReports(const std::string& options, LogPlayer& log) : app_("inspect") {
    set_.declare(app_, ReportSource::log);
    set_.leave_out("summary");  // it holds the whole log, for the critical path
    app_.parse(options, false);
    ReportContext context{ReportSource::log, log, nullptr, &log};
    context.summary = options.empty();
    context.lists_all = true;
    reports_ = std::make_unique<Reports>(set_, context);
  }
  Json json() {
    Json json = Json::object();
    try {
      reports_->close(0);
      reports_->add_to(json);
    } catch (const UsageError&) {  // the log lacks the data of the report
      json = Json::object();
    }
    return json;
  }

 private:
  CLI::App app_;
  ReportSet set_;
  std::unique_ptr<Reports> reports_;
};

}  // namespace

struct RunReports::Paths {
  Paths(const std::string& path, bool with_hops) : log(path), pes(log.observation()) {
    if (with_hops) transfers.emplace(log);
    log.play();
    pes.close(log.launches());
  }

  LogPlayer log;
  PeLogs pes;
  std::optional<CollectedTransfers> transfers;
};

RunReports::RunReports(std::string log, const Size& size, const ServedMachine& machine,
                       const RunPlaces& places)
    : log_(std::move(log)), size_(size), machine_(machine), places_(places),
      tables_([&places](const std::vector<Json>& row) { return places.of_row(row); }) {}

RunReports::~RunReports() {
  const std::lock_guard<std::mutex> lock(playback_mutex());
  paths_.reset();
}

void RunReports::play() {
  if (is_played_) return;
  const std::lock_guard<std::mutex> playback(playback_mutex());
  LogPlayer log(log_);
  // The summary first; each of the others alone, because a log may lack its data.
  constexpr std::array<const char*, 7> options{"--limits --kernel-limits",
                                               "",
                                               "--servers",
                                               "--operators",
                                               "--top",
                                               "--breakdown",
                                               "--energy"};
  std::vector<std::unique_ptr<AskedReports>> reports;
  for (const char* each : options) reports.push_back(std::make_unique<AskedReports>(each, log));
  log.play();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    Json json = reports[i]->json();
    tables_.add("", json);
    if (const auto memories = json.find("memories"); memories != json.end())
      tables_.add("memories", rows_of(*memories));
    if (i < 2) add_scalars(json, summary_);
    reports[i].reset();
  }
  tables_.add("kernels", kernels_of(log_));
  for (const char* table : {"bottleneck.resources", "bottleneck.kernels", "engines", "links"})
    if (tables_.has(table)) summary_[table] = tables_.table(table, most_shown_rows);
  is_played_ = true;
}

const Json& RunReports::summary() {
  const std::lock_guard<std::mutex> lock(mutex_);
  play();
  return summary_;
}

const WebTables& RunReports::tables() {
  const std::lock_guard<std::mutex> lock(mutex_);
  play();
  return tables_;
}

Json RunReports::critical_path(std::uint64_t number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::lock_guard<std::mutex> playback(playback_mutex());
  if (const auto known = path_answers_.find(number); known != path_answers_.end())
    return known->second;
  const bool with_hops = size_.hops <= most_hops;
  if (!paths_) paths_ = std::make_unique<Paths>(log_, with_hops);
  const std::vector<LaunchRow>& launches = paths_->log.launches();
  const LaunchRow& launch =
      number == 0 ? longest_of(launches, log_) : launch_of(launches, number, log_);
  const CriticalPath path = kernbench::critical_path(
      paths_->pes, launch, with_hops ? &paths_->transfers->by_end() : nullptr);
  const std::vector<PathStep> shown = merged(path.steps);
  Json steps = Json::array();
  for (const PathStep& step : shown) {
    const std::string place = machine_.place_of(step.where);
    steps.push_back({{"node", place.empty() ? step.where : place},
                     {"place", places_.of_row({step.where, step.resource})},
                     {"on_map", !place.empty()},
                     {"what", step.what},
                     {"resource", step.resource},
                     {"kind", step.kind == PathStep::Kind::wait ? "wait" : "operation"},
                     {"after", step.after},
                     {"start_fs", step.start},
                     {"end_fs", step.end}});
  }
  Json all = Json::array();
  for (const LaunchRow& each : launches) {
    if (all.size() == most_launches) break;
    all.push_back({{"launch", each.id}, {"kernel", each.kernel}, {"length_fs", each.length()}});
  }
  Json answer{{"launches", std::move(all)},
              {"launch", launch.id},
              {"kernel", launch.kernel},
              {"begin_fs", launch.issued},
              {"end_fs", launch.ended},
              {"steps", std::move(steps)},
              {"step_count", path.steps.size()},
              {"resources", path.resources_table().json()},
              {"note", with_hops ? Json()
                                 : Json("transfers are one step each: the log is large; inspect "
                                        "--critical-path splits them by hop")}};
  path_answers_[number] = answer;
  if (size_.operations > most_kept_operations) paths_.reset();
  return answer;
}

Json compare_logs(const std::string& a, const std::string& b, const RunPlaces& places) {
  const std::lock_guard<std::mutex> playback(playback_mutex());
  LogPlayer first(a), second(b);
  LogComparison comparison(first, second);
  first.play();
  second.play();
  comparison.close();
  Json json = comparison.json();
  // A table per kind of row: launches, critical path, engines, operations.
  std::map<std::string, Json> of_kind;
  std::vector<std::string> kinds;
  for (Json& row : json["times"]) {
    const std::string what = row["what"];
    if (of_kind.count(what) == 0) {
      kinds.push_back(what);
      of_kind[what] = Json::array();
    }
    row.erase("what");
    of_kind[what].push_back(std::move(row));
  }
  WebTables tables([&places](const std::vector<Json>& row) { return places.of_row(row); });
  tables.add("settings", json["settings"]);
  for (const std::string& what : kinds) tables.add(what, of_kind[what]);
  Json answer{{"a", json["a"]}, {"b", json["b"]}, {"note", json["not_compared"]}};
  answer["tables"] = Json::array();
  for (const Json& table : tables.list())
    answer["tables"].push_back(tables.table(table["name"], most_shown_rows));
  return answer;
}

}  // namespace kernbench
