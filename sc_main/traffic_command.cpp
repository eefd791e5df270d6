// `kernbench traffic`: runs requests from a file or a traffic pattern on a machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/base/errors.h"
#include "platform/config/resolved_config.h"
#include "platform/observe/latency_breakdown.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_file.h"
#include "platform/traffic/traffic_generator.h"
#include "platform/traffic/traffic_player.h"
#include "platform/traffic/traffic_report.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"
#include "sc_main/interrupt.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/traffic_options.h"

namespace kernbench {
namespace {

// Forwards requests to the report of the command and to the events of the machine.
class RequestListener final : public TrafficListener {
 public:
  RequestListener(MachineEvents& events, TrafficReport& report)
      : events_(events), report_(report) {}
  void began() override {
    report_.began();
    events_.begin();
  }
  void ended(const TrafficResult& result) override {
    const TrafficRequest& request = result.request;
    events_.add({events_.platform().routes().memory_path(request.initiator, request.target),
                 request.write, request.bytes, request.issue, result.grant, result.end});
    report_.ended(result);
  }
  void in_order(const TrafficResult& result) override { report_.in_order(result); }

 private:
  MachineEvents& events_;
  TrafficReport& report_;
};

int play(const TrafficOptions& options, const Invocation& invocation) {
  options.check();
  const Catalogue catalogue = options.machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  platform_options.check_protocol = options.check_protocol;
  platform_options.single_flits = options.fabric == "flits";
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  const std::optional<EnergyTable> energy_table = options.machine.load_energy(*options.command);
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
    if (!options.save.empty()) {
      ResultFile saved = open_result(options.save, configuration);
      write_requests(*generator, platform, saved.out());
      saved.close();
      return exit_done;
    }
  }
  TrafficSource& source = file ? static_cast<TrafficSource&>(*file) : *generator;

  MachineEvents events(platform);
  ReportContext context{ReportSource::traffic, events, &events};
  context.metadata = {version_text(), invocation.line(), configuration, facts};
  context.energy_table = energy_table ? &*energy_table : nullptr;
  Reports reports(options.reports, context);
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
  TrafficReport report(platform, out, format, breakdown ? &*breakdown : nullptr);
  RequestListener listener(events, report);
  TrafficPlayer player("traffic", platform, source, listener);
  events.request_number = [&player](const TieKey& key, NodeId initiator) {
    return player.request_of(key, initiator);
  };

  const Interrupt interrupt;  // until here a signal ends the program immediately
  ProgressLine progress;
  RunLimits limits = options.limits();
  limits.interrupted = &stop_requested;
  events.add_samples_to(limits);
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    reports.rest();
  };
  const RunResult result = platform.run(limits);
  progress.clear();

  player.hand_on_ended();
  events.close(result.simulated, result);
  reports.close(result.simulated);
  report.close();
  if (options.json) {
    nlohmann::ordered_json summary = report.summary().json();
    reports.add_to(summary);
    summary["status"] = name_of(result.status);
    summary["issued"] = player.issued();
    out << ",\n\"summary\": " << json_text(summary, 1) << "}\n";
  }
  if (out_file) out_file->close();
  if (links_file) {
    const TrafficLinks& links = report.summary().links();
    std::filesystem::path(options.links).extension() == ".json"
        ? links.write_json(links_file->out())
        : links.write_csv(links_file->out());
    links_file->close();
  }
  std::cout << std::flush;
  if (!options.json)
    (options.csv ? std::cerr : std::cout) << fitted(report.text() + reports.text(), 2);
  if (result.status == RunStatus::deadlock)
    throw DeadlockError(fmt::format("{}\n{}", result.error, player.waiting()));
  if (result.cause) std::rethrow_exception(result.cause);
  if (result.status == RunStatus::completed) return exit_done;
  if (result.status == RunStatus::interrupted) check_memory_limit(result.simulated);
  std::cerr << fmt::format(
      "kernbench: {} at {} of simulated time: {} requests issued, {} ended{}\n",
      name_of(result.status), format_ns(result.simulated), player.issued(), player.ended(),
      result.stuck.empty() ? "" : fmt::format("; {}", result.stuck));
  return result.status == RunStatus::until_reached ? exit_done : exit_failed;
}

void declare_traffic(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<TrafficOptions>();
  options->add_to(command);
  invocation.on(command, [options, &invocation] { return play(*options, invocation); });
}
const CommandRegistration traffic_registration(
    50, "traffic", "Run memory requests from a file or a traffic pattern; report their latencies",
    declare_traffic);

}  // namespace
}  // namespace kernbench
