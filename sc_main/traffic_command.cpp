// `kernbench traffic`: requests from a file, or made by rule, on a machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <unordered_map>

#include "models/base/errors.h"
#include "platform/config/resolved_config.h"
#include "platform/observe/latency_breakdown.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_generator.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_rows.h"
#include "platform/traffic/traffic_summary.h"
#include "sc_main/command.h"
#include "sc_main/interrupt.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/run_observers.h"
#include "sc_main/traffic_options.h"

namespace kernbench {
namespace {

// Rows to where they go, everything to the summary; on the console a table of the first requests.
class Report final : public TrafficListener {
 public:
  static constexpr std::size_t most_listed = 40;

  // `breakdown` may be null.
  Report(Platform& platform, std::ostream& out, TrafficRows::Format format,
         LatencyBreakdown* breakdown)
      : platform_(platform), breakdown_(breakdown),
        rows_(platform, out, format, breakdown != nullptr), summary_(platform),
        listing_(format == TrafficRows::Format::none) {
    rows_.begin();
  }
  void began() override { summary_.begin(); }
  void ended(const TrafficResult& result) override {
    summary_.add(result);
    if (breakdown_ == nullptr) return;
    const TrafficRequest& request = result.request;
    const LatencyParts parts = breakdown_->take(traffic_key(request.issue, request.id),
                                                request.issue, result.grant, result.end);
    summary_.add_parts(result, parts);
    parts_.emplace(request.id, parts);
  }
  void in_order(const TrafficResult& result) override {
    LatencyParts parts;
    if (const auto known = parts_.extract(result.request.id)) parts = known.mapped();
    rows_.row(result, parts);
    ++seen_;
    if (!listing_ || seen_ > most_listed) return;
    const TrafficRequest& request = result.request;
    table_.add({std::to_string(request.id), platform_.machine().name(request.initiator),
                request.write ? "write" : "read", platform_.machine().name(request.target),
                std::to_string(request.bytes), fixed_ns(request.issue), fixed_ns(result.grant),
                fixed_ns(result.end), fixed_ns(result.latency())});
  }
  std::string text() const {
    std::string text =
        listing_
            ? fmt::format("{}{}\n", table_.text(),
                          seen_ > most_listed
                              ? fmt::format("... {} more; --csv lists all\n", seen_ - most_listed)
                              : "")
            : "";
    return text + summary_.text();
  }
  void close() { summary_.close(); }
  TrafficRows& rows() { return rows_; }
  const TrafficSummary& summary() const { return summary_; }

 private:
  using Align = Table::Align;
  Platform& platform_;
  LatencyBreakdown* breakdown_;
  std::unordered_map<std::uint32_t, LatencyParts> parts_;  // of requests that wait for earlier ones
  TrafficRows rows_;
  TrafficSummary summary_;
  bool listing_;
  std::size_t seen_ = 0;
  Table table_{{{"id", Align::right},
                {"initiator"},
                {"op"},
                {"target"},
                {"bytes", Align::right},
                {"issue ns", Align::right},
                {"grant ns", Align::right},
                {"end ns", Align::right},
                {"latency ns", Align::right}}};
};

int save_requests(const TrafficOptions& options, TrafficGenerator& generator,
                  const Platform& platform, const std::string& configuration) {
  if (!generator.times_are_known())
    throw UsageError(
        "--save: the times of closed-loop traffic come from the simulation; they cannot be written "
        "beforehand");
  ResultFile file = open_result(options.save, configuration);
  file.out() << "at_ns,initiator,op,target,offset,bytes\n";
  TrafficRequest request;
  while (generator.next(request)) {
    file.out() << fmt::format(
        "{},{},{},{},{},{}\n", fixed_ns(request.issue), platform.machine().name(request.initiator),
        request.write ? "write" : "read", platform.machine().name(request.target), request.offset,
        request.bytes);
  }
  file.close();
  return exit_done;
}

void write_links(const TrafficLinks& links, const std::string& path, ResultFile& file) {
  if (std::filesystem::path(path).extension() == ".json") {
    links.write_json(file.out());
  } else {
    links.write_csv(file.out());
  }
  file.close();
}

int play(const TrafficOptions& options, const Invocation& invocation) {
  options.check();
  const Catalogue catalogue = options.machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  platform_options.check_protocol = options.check_protocol;
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  std::vector<std::pair<std::string, std::string>> facts{
      {"topology", options.machine.topology_path()}};
  if (!catalogue.plugins().empty()) facts.emplace_back("plug-ins", catalogue.plugins_text());
  const std::string configuration =
      configuration_text(invocation, facts, resolved_config(spec, catalogue.components));
  Platform platform(build_graph(spec), catalogue.components, platform_options);

  std::optional<TrafficFile> file;
  std::optional<TrafficGenerator> generator;
  if (options.pattern.empty()) {
    file.emplace(options.file, platform).check();
  } else {
    generator.emplace(options.resolved_recipe(), platform);
    if (!options.save.empty()) return save_requests(options, *generator, platform, configuration);
  }
  TrafficSource& source = file ? static_cast<TrafficSource&>(*file) : *generator;

  RunObservers observers(options.observers, platform, configuration, {RunObservers::whole_machine},
                         std::nullopt);
  std::optional<ResultFile> out_file;
  if (!options.out.empty()) out_file = open_result(options.out, configuration);
  std::ostream& out = out_file ? out_file->out() : std::cout;
  const auto format = options.csv    ? TrafficRows::Format::csv
                      : options.json ? TrafficRows::Format::json
                                     : TrafficRows::Format::none;
  std::optional<LatencyBreakdown> breakdown;
  if (options.breakdown) breakdown.emplace(platform);
  std::optional<ResultFile> links_file;
  if (!options.links.empty()) links_file = open_result(options.links, configuration);
  Report report(platform, out, format, breakdown ? &*breakdown : nullptr);
  TrafficPlayer player("traffic", platform, source, report);
  if (RequestTrace* requests = observers.requests())
    requests->number_by([&player](const TieKey& key, NodeId initiator) {
      return player.request_of(key, initiator);
    });

  const Interrupt interrupt;  // before that a signal ends the program at once
  ProgressLine progress;
  RunLimits limits = options.limits();
  limits.interrupted = &stop_requested;
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    observers.rest();
  };
  const RunResult result = platform.run(limits);
  progress.clear();

  observers.close(result.simulated);
  player.hand_on_ended();
  report.close();
  report.rows().end();
  if (options.json) {
    nlohmann::ordered_json summary = report.summary().json();
    summary["status"] = name_of(result.status);
    summary["issued"] = player.issued();
    out << ",\n\"summary\": " << json_text(summary, 1) << "}\n";
  }
  if (out_file) out_file->close();
  if (links_file) write_links(report.summary().links(), options.links, *links_file);
  if (StatisticsFile* statistics = observers.statistics())
    statistics->close(RunStatistics(platform, ActivityWindows(), result.simulated),
                      StatisticsRegions(platform));
  std::cout << std::flush;
  if (!options.json) (options.csv ? std::cerr : std::cout) << report.text();
  if (result.status == RunStatus::deadlock)
    throw DeadlockError(fmt::format("{}\n{}", result.error, player.waiting()));
  if (result.cause) std::rethrow_exception(result.cause);
  if (result.status == RunStatus::completed) return exit_done;
  if (result.status == RunStatus::interrupted) check_memory_limit();
  std::cerr << fmt::format(
      "kernbench: {} at {} of simulated time: {} requests issued, {} ended{}\n",
      name_of(result.status), format_ns(result.simulated), player.issued(), player.ended(),
      result.stuck.empty() ? "" : fmt::format("; {}", result.stuck));
  return result.status == RunStatus::until_reached ? exit_done : exit_failed;
}

}  // namespace

void add_traffic_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<TrafficOptions>();
  CLI::App* command = app.add_subcommand(
      "traffic", "Plays memory requests, from a file or by rule, and reports their times");
  options->add_to(*command);
  command->callback([options, &invocation] {
    invocation.action = [options, &invocation] { return play(*options, invocation); };
  });
}

}  // namespace kernbench
