#include "platform/web/web_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/base/quote.h"
#include "platform/config/resolved_config.h"
#include "platform/events/opened_log.h"
#include "platform/output/result_file.h"
#include "platform/topology/load_machine.h"
#include "platform/topology/machine_layout.h"
#include "platform/web/distinct_titles.h"
#include "platform/web/logged_run.h"
#include "platform/web/run_reports.h"
#include "platform/web/statistics_run.h"
#include "platform/web/web_tables.h"

namespace kernbench {
namespace {

constexpr std::size_t most_differences = 100'000, most_matches = 200, most_scopes = 2000;
constexpr std::uint64_t most_route_bytes = std::uint64_t{1} << 30;  // the bound of `route`
constexpr std::uint64_t most_timeline_bins = 8192, most_overview_bins = 512;
constexpr std::uint64_t most_wait_ms = 600'000;

[[noreturn]] void refuse_path() { throw WebError(404, "there is no such request"); }

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

WebInterval interval_of(const WebRequest& request) {
  const WebInterval interval{request.time("from_fs"), request.time("to_fs")};
  if (interval.from && interval.to && *interval.to <= *interval.from)
    throw WebError(400, "to_fs: the interval is empty");
  return interval;
}

bool is_sqlite(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic(16, '\0');
  file.read(magic.data(), 16);
  return magic == std::string("SQLite format 3", 16);
}

// Throws UsageError unless the file may be statistics: begins as a JSON object.
void check_statistics_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw UsageError(quote(path) + " does not exist");
  if (!std::filesystem::is_regular_file(path, ignored))
    throw UsageError(quote(path) + " is not a file");
  std::ifstream file(path);
  char first = 0;
  if (!(file >> first) && file.eof())
    throw UsageError(quote(path) +
                     " is empty: it is neither an operation log nor a JSON object, or the run that "
                     "writes it has not ended");
  if (file && first != '{')
    throw UsageError(quote(path) +
                     " is neither an operation log of `run --op-log` (SQLite) nor a JSON object of "
                     "`run --stats`, `traffic --stats` or `traffic --links`");
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Name of the topology that a configuration next to a result file was resolved from; "": unknown.
std::string topology_of(const std::string& configuration) {
  constexpr std::string_view fact = "# topology";
  for (const std::string& line : parts_of(configuration, '\n')) {
    if (line.empty() || line[0] != '#') return "";
    if (line.compare(0, fact.size(), fact) != 0) continue;
    const std::size_t begin = line.find_first_not_of(' ', fact.size());
    return begin == std::string::npos
               ? ""
               : std::filesystem::path(line.substr(begin)).filename().string();
  }
  return "";
}

template <class T>
std::vector<TitledFile> titled_files(const std::vector<std::unique_ptr<T>>& list) {
  std::vector<TitledFile> files;
  for (const auto& each : list) files.push_back({each->title(), each->path()});
  return files;
}

// Element that a part of a path names.
template <class T>
T& element(const std::vector<std::unique_ptr<T>>& list, const std::string& number,
           const char* what) {
  const auto index = parse_number(number, UINT32_MAX);
  if (!index || *index >= list.size())
    throw WebError(404, fmt::format("there is no {} {}", what, quote(number)));
  return *list[*index];
}

}  // namespace

// --- Machines and runs

std::size_t WebSession::add_machine(const std::string& title, MachineSpec spec) {
  std::string configuration = resolved_config(spec, registry_);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (machines_[i]->configuration() == configuration) return i;
  }
  machines_.push_back(
      std::make_unique<ServedMachine>(title, std::move(configuration), std::move(spec), registry_));
  std::vector<TitledConfiguration> titled;
  for (const auto& machine : machines_)
    titled.push_back({machine->title(), machine->configuration()});
  machine_titles_ = distinct_titles(titled);
  return machines_.size() - 1;
}

ServedMachine& WebSession::machine_of_configuration(const std::string& title,
                                                    const std::string& text) {
  const std::string path = folder_ + "/topology.yaml";
  static std::mutex file_mutex;
  const std::lock_guard<std::mutex> lock(file_mutex);
  std::ofstream(path) << text;
  MachineSpec spec = load_machine(path, {}, registry_);
  spec.source_path.clear();  // no layout is stored next to it
  const std::size_t machine = add_machine(title, std::move(spec));
  const std::lock_guard<std::mutex> list_lock(mutex_);
  return *machines_[machine];
}

std::size_t WebSession::add_run(const std::string& path, const std::string& title) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::error_code ignored;
      if (std::filesystem::equivalent(runs_[i]->path(), path, ignored)) return i;
    }
  }
  std::unique_ptr<ServedRun> run;
  if (is_sqlite(path)) {
    const OpenedLog log(path);
    const std::string topology = std::filesystem::path(log.fact("topology")).filename().string();
    const ServedMachine& machine =
        machine_of_configuration(topology.empty() ? title : topology, log.fact("configuration"));
    run = std::make_unique<LoggedRun>(title, path, machine);
  } else {
    const std::string companion = companion_of(path);
    check_statistics_file(path);
    std::error_code ignored;
    const bool has_machine = std::filesystem::is_regular_file(companion, ignored);
    if (!has_machine && !has_machines())
      throw UsageError(
          fmt::format("{}: its machine is not known, because {} is missing; give "
                      "--topology",
                      quote(path), quote(companion)));
    const std::string configuration = has_machine ? text_of_file(companion) : "";
    const std::string topology = topology_of(configuration);
    const ServedMachine& machine =
        has_machine ? machine_of_configuration(topology.empty() ? title : topology, configuration)
                    : machine_of("0");
    run = std::make_unique<StatisticsRun>(title, path, machine, has_machine ? companion : "");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  runs_.push_back(std::move(run));
  run_titles_ = distinct_titles(titled_files(runs_));
  return runs_.size() - 1;
}

std::size_t WebSession::add_sweep(const std::string& path) {
  auto sweep = std::make_unique<ServedSweep>(path);
  const std::lock_guard<std::mutex> lock(mutex_);
  sweeps_.push_back(std::move(sweep));
  sweep_titles_ = distinct_titles(titled_files(sweeps_));
  return sweeps_.size() - 1;
}

void WebSession::add_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path results = std::filesystem::path(path) / "results.sqlite";
  if (std::filesystem::is_regular_file(results, ignored)) {
    add_sweep(results.string());
  } else if (is_sqlite(path) && is_sweep_file(path)) {
    add_sweep(path);
  } else {
    add_run(path, std::filesystem::path(path).filename().string());
  }
}

void WebSession::add_problem(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  problems_.push_back(text);
}

bool WebSession::has_machines() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !machines_.empty();
}

void WebSession::prepare() {
  for (std::size_t i = 0;; ++i) {
    ServedRun* run = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (i == runs_.size()) return;
      run = runs_[i].get();
    }
    try {
      run->prepare();
    } catch (const std::exception& error) {
      add_problem(error.what());
    }
  }
}

ServedMachine& WebSession::machine_of(const std::string& number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return element(machines_, number, "machine");
}

ServedRun& WebSession::run_of(const std::string& number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return element(runs_, number, "run");
}

ServedSweep& WebSession::sweep_of(const std::string& number) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return element(sweeps_, number, "sweep");
}

// --- Requests

WebAnswer WebSession::answer(const WebRequest& request) {
  const std::vector<std::string> parts = request.parts();
  if (parts.size() < 2 || parts[0] != "api") refuse_path();
  const std::string& what = parts[1];
  if (const auto other = handlers_.find(what); other != handlers_.end())
    return other->second(request);
  if (request.method != "GET" && request.method != "HEAD")
    throw WebError(405, "only GET is answered here");
  if (what == "session" && parts.size() == 2) return json_answer(session_json());
  if (what == "machine" && (parts.size() == 3 || parts.size() == 4))
    return machine_answer(machine_of(parts[2]), parts.size() == 4 ? parts[3] : "", request);
  if (what == "machines" && parts.size() == 3 && parts[2] == "difference")
    return json_answer(machine_of(request.required("a"))
                           .difference(machine_of(request.required("b")), most_differences));
  if (what == "run" && parts.size() >= 4) return run_answer(run_of(parts[2]), parts, request);
  if (what == "sweep" && parts.size() == 3) return json_answer(sweep_of(parts[2]).json());
  if (what == "compare" && parts.size() == 2)
    return json_answer(comparison(run_of(request.required("a")), run_of(request.required("b"))));
  refuse_path();
}

WebSession::Json WebSession::session_json() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Json machines = Json::array(), runs = Json::array(), sweeps = Json::array();
  std::map<const ServedMachine*, std::size_t> numbers;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    numbers[machines_[i].get()] = i;
    Json machine{{"id", i}, {"title", machine_titles_[i]}};
    machine.update(machines_[i]->summary());
    machines.push_back(std::move(machine));
  }
  for (std::size_t i = 0; i < sweeps_.size(); ++i)
    sweeps.push_back({{"id", i}, {"title", sweep_titles_[i]}, {"file", sweeps_[i]->path()}});
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    Json run{{"id", i},
             {"title", run_titles_[i]},
             {"machine", numbers[&runs_[i]->machine()]},
             {"files", {runs_[i]->path()}}};
    run.update(runs_[i]->facts());
    runs.push_back(std::move(run));
  }
  return {{"version", version_},
          {"read_only", handlers_.count("jobs") == 0},
          {"machines", std::move(machines)},
          {"runs", std::move(runs)},
          {"sweeps", std::move(sweeps)},
          {"problems", problems_}};
}

WebAnswer WebSession::machine_answer(ServedMachine& machine, const std::string& what,
                                     const WebRequest& request) {
  if (what.empty()) return json_answer(machine_layout(machine.graph()));
  if (what == "node") return json_answer(machine.place(request.required("name")));
  if (what == "search")
    return json_answer(
        machine.search(request.text("q"), request.number("limit", 20, 1, most_matches)));
  if (what == "route")
    return json_answer(machine.route(request.required("from"), request.required("to"),
                                     request.number("bytes", 4096, 1, most_route_bytes)));
  refuse_path();
}

WebAnswer WebSession::run_answer(ServedRun& run, const std::vector<std::string>& parts,
                                 const WebRequest& request) {
  const std::string& what = parts[3];
  if (what == "table" && parts.size() == 5)
    return json_answer(run.table(parts[4], most_shown_rows));
  if (parts.size() != 4) refuse_path();
  if (what == "summary") return json_answer(run.summary());
  if (what == "tables") return json_answer(run.table_list());
  if (what == "use") {
    Json json = run.uses({request.text("scope")}, interval_of(request));
    Json answer = std::move(json["scopes"][request.text("scope")]);
    for (const char* key : {"window", "highest"}) answer[key] = std::move(json[key]);
    return json_answer(answer);
  }
  if (what == "uses") {
    const std::vector<std::string> scopes = parts_of(request.text("scopes"), ',');
    if (scopes.size() > most_scopes)
      throw WebError(400, fmt::format("scopes: at most {} are answered", most_scopes));
    return json_answer(run.uses(scopes, interval_of(request)));
  }
  if (what == "place")
    return json_answer(run.place(request.text("name"), interval_of(request),
                                 request.number("limit", 200, 1, most_shown_rows)));
  if (what == "timeline")
    return json_answer(run.timeline(request.text("scope"), interval_of(request),
                                    request.number("bins", 1000, 1, most_timeline_bins),
                                    request.number("wait_ms", most_wait_ms, 0, most_wait_ms)));
  if (what == "overview")
    return json_answer(run.overview(request.number("bins", 256, 1, most_overview_bins)));
  if (what == "critical-path")
    return json_answer(run.critical_path(request.number("launch", 0, 0, UINT32_MAX)));
  if (what == "roofline") return json_answer(run.roofline());
  refuse_path();
}

WebSession::Json WebSession::comparison(ServedRun& a, const ServedRun& b) {
  if (a.facts()["kind"] != "log" || b.facts()["kind"] != "log")
    throw WebError(404, "operation logs are compared, not statistics");
  const std::lock_guard<std::mutex> lock(comparison_mutex_);
  const auto key = std::make_pair(a.path(), b.path());
  const auto found = comparisons_.find(key);
  if (found != comparisons_.end()) return found->second;
  return comparisons_[key] = compare_logs(a.path(), b.path(), a.places());
}

}  // namespace kernbench
