// `kernbench inspect`: what an operation log tells about a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "platform/events/op_log_player.h"
#include "platform/inspect/critical_path.h"
#include "platform/inspect/engine_timeline.h"
#include "platform/inspect/log_comparison.h"
#include "platform/inspect/log_summary.h"
#include "platform/inspect/logged_limits.h"
#include "platform/inspect/operation_statistics.h"
#include "platform/inspect/sql_query.h"
#include "platform/report/json_text.h"
#include "sc_main/command.h"
#include "sc_main/option_values.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

// A table of the summary holds fewer rows than one that was asked for.
constexpr std::uint64_t few_rows = 5, default_rows = 20;

struct InspectOptions {
  std::string log;
  std::uint64_t top_rows = 0;  // 0: not told
  std::string timeline, window, path_launch, other, sql;
  std::uint64_t columns = 100;
  std::string servers;  // a window; empty: pe
  bool limits = false, stages = false, json = false, csv = false;
  CLI::Option *top_given = nullptr, *timeline_given = nullptr, *path_given = nullptr,
              *compare_given = nullptr, *servers_given = nullptr, *sql_given = nullptr;

  void check() const;
  std::size_t reports() const;
  std::optional<std::pair<Fs, Fs>> time_window() const;
  std::uint64_t rows() const { return top_rows == 0 ? default_rows : top_rows; }
  // Rows, and no report of its own: beside one that has rows.
  bool top_is_report() const { return top_given->count() > 0 && compare_given->count() == 0; }
};

std::size_t InspectOptions::reports() const {
  std::size_t reports = top_is_report() ? 1 : 0;
  for (const CLI::Option* option :
       {timeline_given, path_given, compare_given, servers_given, sql_given})
    reports += option->count() > 0 ? 1 : 0;
  return reports + (limits ? 1 : 0) + (stages ? 1 : 0);
}

void InspectOptions::check() const {
  if (csv && reports() != 1) {
    throw UsageError(
        "--csv prints one table: name one of --limits, --servers, --top, --timeline, "
        "--critical-path, --stages, --compare, --sql");
  }
  if (sql_given->count() > 0 && reports() > 1)
    throw UsageError("--sql prints the rows of its query only; the other reports stand alone");
}

// "FROM:TO" in ns.
std::optional<std::pair<Fs, Fs>> InspectOptions::time_window() const {
  if (window.empty()) return std::nullopt;
  const std::size_t colon = window.find(':');
  if (colon == std::string::npos)
    throw UsageError(
        fmt::format("--window {} is not FROM:TO in ns, e.g. 400:550.5", quote(window)));
  const Fs from = time_option("--window", window.substr(0, colon));
  const Fs to = time_option("--window", window.substr(colon + 1));
  if (from >= to) {
    throw UsageError(
        fmt::format("--window {} is empty: FROM has to be less than TO", quote(window)));
  }
  return std::pair(from, to);
}

// The reports that were asked for: they subscribe to the events of the log, which is played back
// once, and are printed in the order of the help.
class Inspection {
 public:
  explicit Inspection(const InspectOptions& options);
  void print();

 private:
  void play();
  void show(const std::string& text, const Table& table);
  void show_limits();
  void show_path();

  const InspectOptions& options_;
  LogPlayer log_;
  std::optional<LogPlayer> other_;
  std::optional<LogSummary> summary_;
  std::optional<OperationStatistics> statistics_;
  std::optional<EngineTimeline> timeline_;
  std::optional<PeLogs> pes_;
  std::optional<LogComparison> comparison_;
  Json json_ = Json::object();
  bool first_ = true;
};

Inspection::Inspection(const InspectOptions& options) : options_(options), log_(options.log) {
  Observation& events = log_.observation();
  if (options.reports() == 0) summary_.emplace(log_);
  if (options.top_is_report() || options.stages) statistics_.emplace(events);
  if (options.timeline_given->count() > 0) {
    timeline_.emplace(events,
                      TimelineOptions{options.timeline, options.time_window(), options.columns});
  }
  if (options.path_given->count() > 0) pes_.emplace(events);
  if (options.compare_given->count() > 0) comparison_.emplace(log_, other_.emplace(options.other));
}

void Inspection::play() {
  log_.play();
  if (other_) other_->play();
  if (summary_) summary_->close();
  if (statistics_ && statistics_->operations() == 0) {
    throw UsageError(fmt::format("{} has no operations, which {} needs", quote(log_.path()),
                                 options_.top_is_report() ? "--top" : "--stages"));
  }
  if (timeline_) timeline_->close(log_.path());
  if (pes_) pes_->close(log_.launches());
  if (comparison_) comparison_->close();
}

void Inspection::print() {
  play();
  if (summary_) {
    if (options_.json)
      json_["summary"] = summary_->json(few_rows);
    else
      std::cout << summary_->text(few_rows);
  }
  show_limits();
  if (options_.top_is_report()) {
    const Table operations = statistics_->operations_table(options_.rows());
    json_["top"] = {{"operations", operations.json()},
                    {"spans", statistics_->spans_table(options_.rows()).json()}};
    show(statistics_->top_text(options_.rows()), operations);
  }
  if (timeline_) {
    json_["timeline"] = timeline_->json();
    show(timeline_->text(), timeline_->cells());
  }
  if (pes_) show_path();
  if (options_.stages) {
    const Table histogram = statistics_->histogram_table();
    json_["stages"] = statistics_->stages_table().json();
    json_["histogram"] = histogram.json();
    show(statistics_->stages_text(), histogram);
  }
  if (comparison_) {
    json_["comparison"] = comparison_->json();
    show(comparison_->text(options_.rows()), comparison_->times());
  }
  if (options_.json) std::cout << json_text(json_, 2) << '\n';
}

void Inspection::show_limits() {
  if (options_.limits) {
    const LimitReport limits = limits_of(log_);
    if (limits.run.rows.empty())
      throw UsageError(
          fmt::format("{} has no limits, which --limits needs: no kernel ran", quote(log_.path())));
    json_["limits"] = limits.json();
    show(limits.text(), limits.run.table());
  }
  if (options_.servers_given->count() > 0) {
    const Table servers = servers_of(log_, options_.servers.empty() ? "pe" : options_.servers);
    json_["servers"] = servers.json();
    std::string text = servers.first(options_.rows()).text();
    if (servers.size() > options_.rows())
      text += fmt::format("... {} less busy; --csv and --json have all\n",
                          servers.size() - options_.rows());
    show(text, servers);
  }
}

void Inspection::show_path() {
  const std::string& id = options_.path_launch;
  const std::vector<LaunchRow>& launches = log_.launches();
  const CriticalPath path =
      critical_path(*pes_, id.empty() ? longest_of(launches, log_.path())
                                      : launch_of(launches, std::stoull(id), log_.path()));
  json_["critical_path"] = path.json();
  show(path.text(), path.steps_table());
}

void Inspection::show(const std::string& text, const Table& table) {
  if (options_.json) return;
  if (options_.csv) {
    std::cout << table.csv();
    return;
  }
  std::cout << (first_ ? "" : "\n") << text;
  first_ = false;
}

int inspect(const InspectOptions& options) {
  options.check();
  if (options.sql_given->count() > 0) {
    const QueryFormat format = options.json  ? QueryFormat::json
                               : options.csv ? QueryFormat::csv
                                             : QueryFormat::text;
    const LogPlayer checked(options.log);
    run_query(options.log, options.sql, format, std::cout);
  } else {
    Inspection(options).print();
  }
  return exit_done;
}

void add_reports(CLI::App& command, InspectOptions& options) {
  const char* reports = "Reports";
  command
      .add_flag("--limits", options.limits,
                "What limited the run, and what twice as much of each resource would have gained")
      ->group(reports);
  options.servers_given =
      command
          .add_option("--servers", options.servers,
                      "Busy times and stalls of all servers in a window of the run, the busiest "
                      "first: pe (kernels), host, 'region LABEL' or 'kernel NAME' (default: pe)")
          ->type_name("WINDOW")
          ->expected(0, 1)
          ->group(reports);
  options.top_given =
      command
          .add_option(
              "--top", options.top_rows,
              "Operations by name and engine, those with the largest total time first; N of "
              "them (20). With --compare: rows of each table")
          ->type_name("N")
          ->expected(0, 1)
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
          ->group(reports);
  options.timeline_given =
      command
          .add_option(
              "--timeline", options.timeline,
              "A row per engine, a column per interval of time: how busy it was. Engines by "
              "glob over their names or a scope around them, e.g. 'sip0.cube0.pe0' or "
              "'*.pe_dma' (default: those of the PE with most operations)")
          ->type_name("GLOB")
          ->expected(0, 1)
          ->group(reports);
  options.path_given =
      command
          .add_option("--critical-path", options.path_launch,
                      "The operations and waits that make up the length of a launch, without gaps; "
                      "by number (default: the longest)")
          ->type_name("LAUNCH")
          ->expected(0, 1)
          ->check(whole_number())
          ->group(reports);
  command
      .add_flag("--stages", options.stages,
                "Durations of each stage and operation: percentiles and a histogram")
      ->group(reports);
  options.compare_given = command
                              .add_option("--compare", options.other,
                                          "Another log of the same bench: what was set otherwise, "
                                          "and what came of it")
                              ->type_name("F.sqlite|.sqlite3|.db")
                              ->group(reports);
  options.sql_given =
      command
          .add_option("--sql", options.sql,
                      "The rows of a query; nothing can be written (tables and columns: "
                      "docs/op-log.md)")
          ->type_name("QUERY")
          ->group(reports);
}

void declare_inspect(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<InspectOptions>();
  command.add_option("log", options->log, "Operation log that `run --op-log F.sqlite` has written")
      ->type_name("F.sqlite|.sqlite3|.db")
      ->required();
  add_reports(command, *options);
  command
      .add_option("--window", options->window, "Of the timeline, in ns (default: all of the run)")
      ->type_name("FROM:TO")
      ->needs(options->timeline_given);
  command.add_option("--width", options->columns, "Of the timeline, in columns")
      ->type_name("COLUMNS")
      ->check(CLI::Range(std::uint64_t{10}, std::uint64_t{1000}))
      ->needs(options->timeline_given)
      ->capture_default_str();
  CLI::Option* json = command.add_flag("--json", options->json, "As JSON, units in the key names");
  command.add_flag("--csv", options->csv, "One table as CSV")->excludes(json);
  command.footer(
      "Without a report: a summary of launches, engines, operations, waits and limits, and of the "
      "critical path of the longest launch.\n\n"
      "Examples:\n"
      "  kernbench run --bench matmul-composite --op-log gemm.sqlite\n"
      "  kernbench inspect gemm.sqlite\n"
      "  kernbench inspect gemm.sqlite --limits --servers\n"
      "  kernbench inspect gemm.sqlite --critical-path\n"
      "  kernbench inspect gemm.sqlite --timeline 'sip0.cube0.pe0.*' --window 400:700\n"
      "  kernbench inspect gemm.sqlite --top 10 --stages\n"
      "  kernbench inspect gemm.sqlite --compare other-tile.sqlite\n"
      "  kernbench inspect gemm.sqlite --sql \"SELECT name, count(*) FROM ops GROUP BY name\" "
      "--csv\n\n"
      "The critical path is walked backwards from the last answer of a PE: along what a kernel "
      "waited for, the stages of a tile,\n"
      "what an engine, the compute slot or a buffer was held by, messages, credits, and the launch "
      "itself. Its steps add up to the\n"
      "length of the launch exactly. \"Without it at least\" is the length without the steps of a "
      "resource: the most that can be\n"
      "gained by making it faster, as another chain may then be the longest.\n");
  invocation.on(command, [options] { return inspect(*options); });
}
const CommandRegistration inspect_registration(
    110, "inspect",
    "Tells from an operation log what was busy, what was waited for, and what made up the length "
    "of a launch",
    declare_inspect);

}  // namespace
}  // namespace kernbench
