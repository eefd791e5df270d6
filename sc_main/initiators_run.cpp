#include "sc_main/initiators_run.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>

#include "models/base/errors.h"
#include "platform/assembly/platform.h"
#include "platform/config/resolved_config.h"
#include "platform/topology/build_graph.h"
#include "sc_main/build_info.h"
#include "sc_main/catalogue.h"
#include "sc_main/interrupt.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/run_report.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;

class InitiatorsRun {
 public:
  InitiatorsRun(const RunOptions& options, const Invocation& invocation)
      : options_(options), catalogue_(options.machine.load_catalogue()),
        spec_(options.machine.load_spec(catalogue_.components)),
        energy_table_(options.machine.load_energy(*options.command)),
        metadata_{
            version_text(), invocation.line(),
            configuration_text(invocation, facts(), resolved_config(spec_, catalogue_.components)),
            facts()} {
    if (spec_.system.tlm_initiators.empty())
      throw UsageError(
          "run: there is no --bench, and the machine has no plain TLM-2.0 initiators to play "
          "(system.tlm_initiators); benches are listed by 'kernbench list'");
  }

  const std::string& configuration() const { return metadata_.configuration; }
  int simulate();

 private:
  std::vector<std::pair<std::string, std::string>> facts() const {
    std::vector<std::pair<std::string, std::string>> facts{
        {"topology", options_.machine.topology_path()},
        {"data", options_.data == "off" ? "off" : "deferred"}};
    if (!catalogue_.plugins().empty()) facts.emplace_back("plug-ins", catalogue_.plugins_text());
    return facts;
  }
  int conclude(const RunReport& report, const RunStatistics& statistics,
               const Reports& reports) const;

  const RunOptions& options_;
  Catalogue catalogue_;
  MachineSpec spec_;
  std::optional<EnergyTable> energy_table_;
  RunMetadata metadata_;
  FunctionalModel data_;
};

int InitiatorsRun::simulate() {
  const Clock::time_point start = Clock::now();
  const bool with_data = options_.data != "off";
  PlatformOptions platform_options;
  platform_options.data = with_data ? &data_ : nullptr;
  platform_options.check_protocol = options_.check_protocol;
  platform_options.single_flits = options_.fabric == "flits";
  platform_options.tear_down = false;
  const auto built =
      std::make_unique<Platform>(build_graph(spec_), catalogue_.components, platform_options);
  const Interrupt interrupt;
  Platform& platform = *built;
  MachineEvents events(platform);
  ReportContext context{ReportSource::initiators, events, &events};
  context.metadata = metadata_;
  context.energy_table = energy_table_ ? &*energy_table_ : nullptr;
  Reports reports(options_.reports, context);
  events.begin();
  RunReport report;
  report.elaboration_s = std::chrono::duration<double>(Clock::now() - start).count();
  ProgressLine progress;
  RunLimits limits = options_.limits();
  limits.ends_when_idle = true;
  limits.interrupted = &stop_requested;
  events.add_samples_to(limits);
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    reports.rest();
  };
  report.result = platform.run(limits);
  progress.clear();

  report.topology = options_.machine.topology_path();
  report.data = with_data ? "deferred" : "off";
  report.simulated = report.result.status == RunStatus::until_reached ? *options_.until()
                                                                      : report.result.simulated;
  report.failed_accesses = failed_accesses(initiator_accesses(platform));
  events.close(report.simulated, report.result);
  reports.close(report.simulated);
  if (report.result.cause) {
    report_failed_accesses(report);
    if (options_.json) show_report(report, events.statistics(), reports, true);
    std::rethrow_exception(report.result.cause);
  }
  return conclude(report, events.statistics(), reports);
}

int InitiatorsRun::conclude(const RunReport& report, const RunStatistics& statistics,
                            const Reports& reports) const {
  show_report(report, statistics, reports, options_.json);
  const std::string stopped = stopped_text(report.result, report.simulated);
  if (!stopped.empty()) std::cerr << "kernbench: " << stopped << '\n';
  if (report_failed_accesses(report)) return exit_failed;
  return ended_as_asked(report.result) ? exit_done : exit_failed;
}

}  // namespace

int play_initiators(const RunOptions& options, const Invocation& invocation) {
  InitiatorsRun run(options, invocation);
  if (!options.print_config) return run.simulate();
  std::cout << run.configuration();
  return exit_done;
}

}  // namespace kernbench
