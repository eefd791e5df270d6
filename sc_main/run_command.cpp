// `kernbench run`: runs a bench on a machine, from the command line to the verdict.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "models/base/errors.h"
#include "platform/assembly/external_accesses.h"
#include "platform/assembly/platform.h"
#include "platform/config/resolved_config.h"
#include "platform/events/machine_events.h"
#include "platform/observe/log_selection.h"
#include "platform/observe/op_origins.h"
#include "platform/probe/pe_transfer_meter.h"
#include "platform/sweep/text_hash.h"
#include "platform/topology/build_graph.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/bench_run.h"
#include "sc_main/command.h"
#include "sc_main/initiators_run.h"
#include "sc_main/interrupt.h"
#include "sc_main/memory_limit.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/result_report.h"
#include "sc_main/run_metadata.h"
#include "sc_main/run_options.h"
#include "sc_main/run_report.h"
#include "sc_main/verification.h"
#include "sw/benches/bench_program.h"
#include "sw/runtime/call_listener.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Stop condition of phase 2; --max-wall applies from now on.
StopQuestion stop_question(const std::optional<double>& max_wall_s) {
  const Clock::time_point start = Clock::now();
  return [max_wall_s, start] {
    return stop_requested() || (max_wall_s && seconds_since(start) >= *max_wall_s);
  };
}

unsigned executor_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

// Events of the host program: launches, torch.stats, calls of torch.distributed.
class ProgramEvents final : public LaunchListener, public StatisticsListener, public CallListener {
 public:
  explicit ProgramEvents(MachineEvents& events) : events_(events) {}
  void ended(LaunchRecord launch) override {
    LaunchMetrics& metrics = launch.metrics;
    events_.launch_ended({std::move(launch.name), std::move(launch.meta), metrics.merged,
                          std::move(metrics.per_pe), metrics.issued, metrics.ended,
                          std::move(launch.request_ids)});
  }
  void reset(Fs now) override { events_.reset_region(now); }
  void dump(const std::string& label, Fs now) override { events_.dump_region(label, now); }
  std::uint64_t begin(const DistributedCall& call) override {
    if (!events_.host_calls.observed()) return 0;
    events_.host_calls.write({HostCall::Step::begin, ++calls_, call.rank, call.name, call.details});
    return calls_;
  }
  void end(std::uint64_t call) override {
    events_.host_calls.write({HostCall::Step::end, call, 0, "", ""});
  }

 private:
  MachineEvents& events_;
  std::uint64_t calls_ = 0;
};

// Names of ranks: SIPs, or PEs counted through all cubes of all SIPs.
std::function<std::string(const PeId&)> rank_names(const MachineDescription& machine,
                                                   RankUnit unit) {
  return [&machine, unit](const PeId& pe) {
    const int rank =
        unit == RankUnit::sip ? pe.sip : (pe.sip * machine.cubes() + pe.cube) * machine.pes + pe.pe;
    return "rank " + std::to_string(rank);
  };
}

// Run of a bench: the machine, its observers, and its results.
class BenchRun {
 public:
  // `catalogue`: null if it has not been loaded.
  BenchRun(const RunOptions& options, const Invocation& invocation,
           std::shared_ptr<const Catalogue> catalogue = nullptr)
      : options_(options),
        loaded_(catalogue != nullptr
                    ? std::move(catalogue)
                    : std::make_shared<const Catalogue>(options.machine.load_catalogue())),
        bench_(find_bench(catalogue_.benches, options.bench)),
        parameters_(resolve_parameters(bench_, given_parameters(options.params))),
        spec_(options.machine.load_spec(catalogue_.components)),
        ccl_(options.machine.load_ccl(*catalogue_.algorithms)),
        energy_table_(options.machine.load_energy(*options.command)), graph_(build_graph(spec_)),
        devices_(options.devices(spec_.system.sips.count)),
        data_mode_(options.data_mode(bench_.needs_data)),
        computing_(data_mode_ == DataMode::off
                       ? ""
                       : computing_components(*graph_, catalogue_.components)) {
    if (!computing_.empty()) data_mode_ = DataMode::eager;
    if (data_mode_ == DataMode::off && !options.data_memory.empty())
      throw UsageError("--data-memory requires --data deferred or eager");
    resolved_ = resolved_config(spec_, catalogue_.components);
    metadata_ = metadata_of(invocation, bench_, parameter_texts(bench_, parameters_), options,
                            name_of(data_mode_), resolve(ccl_, *catalogue_.algorithms),
                            catalogue_.plugins_text(), resolved_);
  }

  const std::string& configuration() const { return metadata_.configuration; }
  int simulate();
  // The summary is stored instead of being printed; phase 2 has these threads.
  BenchSummary simulate_quietly(unsigned threads);

 private:
  std::string simulated_configuration() const;
  std::vector<CubeId> elaborated_cubes() const;
  void start_executor(const StopQuestion& stop);
  RunReport::DataMemory data_memory() const;
  void evaluate(const BenchProgram& program, const OpOrigins* origins, const StopQuestion& stop,
                RunReport& report);
  ReportContext context_of(MachineEvents& events);
  RunReport report_of(const RunResult& result, const BenchProgram& program, double elaboration_s);
  int conclude(const RunReport& report, const RunStatistics& statistics,
               const Reports& reports) const;

  const RunOptions& options_;
  std::shared_ptr<const Catalogue> loaded_;
  const Catalogue& catalogue_ = *loaded_;
  const Bench& bench_;
  Attributes parameters_;
  MachineSpec spec_;
  CclFile ccl_;
  std::optional<EnergyTable> energy_table_;
  std::optional<Graph> graph_;  // until moved to the platform
  std::vector<int> devices_;
  DataMode data_mode_;
  std::string computing_;  // components that require eager data; empty: none
  std::string resolved_;   // the machine with every default
  RunMetadata metadata_;
  FunctionalModel functional_model_;
  std::optional<DataExecutor> executor_;  // with data
  std::optional<OperationsVerification> operations_;
  std::string stopped_;  // progress of phase 2 if it was stopped, else empty
  unsigned threads_ = executor_threads();
  BenchSummary* summary_ = nullptr;  // where the summary is stored; null: it is printed
};

BenchSummary BenchRun::simulate_quietly(unsigned threads) {
  BenchSummary summary;
  summary.parameters = parameter_texts(bench_, parameters_);
  summary.ccl = resolve(ccl_, *catalogue_.algorithms).values();
  summary.configuration = simulated_configuration();
  summary.hash = text_hash(summary.configuration);
  threads_ = threads;
  summary_ = &summary;
  summary.status = simulate();
  summary_ = nullptr;
  return summary;
}

// Without version, command line and paths.
std::string BenchRun::simulated_configuration() const {
  std::string text;
  for (const auto& [name, value] : metadata_.facts)
    if (name != "topology") text += fmt::format("# {} {}\n", name, value);
  return text + resolved_;
}

// Cubes of --elaborate reachable; empty: all.
std::vector<CubeId> BenchRun::elaborated_cubes() const {
  if (options_.elaborates_all() || bench_.cubes == nullptr) return {};
  return bench_.cubes({parameters_, devices_, spec_.system.sips.count, spec_.sip.cubes()});
}

int BenchRun::simulate() {
  const Clock::time_point start = Clock::now();
  if (options_.check_races) functional_model_.detect_races();
  PlatformOptions platform_options;
  platform_options.data = data_mode_ == DataMode::off ? nullptr : &functional_model_;
  platform_options.check_protocol = options_.check_protocol;
  platform_options.single_flits = options_.fabric == "flits";
  platform_options.cubes = elaborated_cubes();
  platform_options.tear_down = false;
  const auto built =
      std::make_unique<Platform>(*std::move(graph_), catalogue_.components, platform_options);
  const Interrupt interrupt;  // until here a signal ends the program immediately, because nothing
                              // has been written
  Platform& platform = *built;
  MachineEvents events(platform);
  const LeakReport leaks(platform.observation());
  Reports reports(options_.reports, context_of(events));
  std::optional<ResultFile> results;
  if (!options_.results.empty())
    results.emplace(open_result(options_.results, metadata_.configuration));
  std::optional<OpOrigins> origins;
  if (options_.verifies_ops()) platform.observation().executed_ops.bind(origins.emplace());
  const StopQuestion stop = stop_question(options_.max_wall());
  if (data_mode_ != DataMode::off) start_executor(stop);
  const double elaboration_s = seconds_since(start);

  ProgramEvents program_events(events);
  std::optional<PeTransferMeter> meter;
  if (bench_.measures_transfers) meter.emplace(platform);
  BenchProgram program(
      bench_, {parameters_, devices_, options_.seed, ccl_, &program_events, &program_events,
               catalogue_.algorithms, Log::find(platform.host()),
               Log::find(platform.host(), LogRequest::collectives), options_.untimed_inputs,
               &program_events, meter ? &*meter : nullptr});
  ProgressLine progress;
  RunLimits limits = options_.limits();
  limits.interrupted = &stop_requested;
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    reports.rest();
  };
  events.add_samples_to(limits);
  const RunResult result = platform.run(program, limits);
  progress.clear();

  RunReport report = report_of(result, program, elaboration_s);
  for (const std::string& warning : program.warnings())
    std::cerr << "kernbench: warning: " << warning << '\n';
  if (result.status == RunStatus::completed) report.leaks = leaks.leaks();
  report_order(report);
  report.failed_accesses = failed_accesses(initiator_accesses(platform));
  events.close(report.simulated, result);
  reports.close(report.simulated);
  if (result.cause) {
    if (options_.json) show_report(report, events.statistics(), reports, true);
    std::rethrow_exception(result.cause);
  }
  const bool has_messages = !functional_model_.messages().empty();
  const bool asks_for_values =
      options_.verifies() || has_messages || counts_wrong_elements(program.expectations());
  if (result.status == RunStatus::completed && (asks_for_values || data_mode_ == DataMode::eager)) {
    evaluate(program, origins ? &*origins : nullptr, stop, report);
  }
  if (executor_) report.data_memory = data_memory();
  if (results) write_results(*results, report.results);
  return conclude(report, events.statistics(), reports);
}

ReportContext BenchRun::context_of(MachineEvents& events) {
  ReportContext context{ReportSource::run, events, &events};
  context.metadata = metadata_;
  context.data = &functional_model_;
  context.energy_table = energy_table_ ? &*energy_table_ : nullptr;
  context.rank_name =
      rank_names(events.platform().machine(), resolve(ccl_, *catalogue_.algorithms).rank_unit);
  context.lists_all = options_.json;
  return context;
}

std::vector<std::string> texts_of_wrong(const std::vector<VerdictReport>& verdicts) {
  std::vector<std::string> texts;
  for (const VerdictReport& verdict : verdicts) {
    if (!verdict.ok) texts.push_back(verdict.text);
  }
  return texts;
}

// Phase 2 and its verification; no verdict if stopped.
void BenchRun::evaluate(const BenchProgram& program, const OpOrigins* origins,
                        const StopQuestion& stop, RunReport& report) try {
  DataExecutor& executor = *executor_;
  RunReport::Phase2& phase2 = report.phase2.emplace();
  phase2.threads = executor.threads();
  const Clock::time_point start = Clock::now();
  const std::vector<DeviceMessage> messages = functional_model_.messages();
  if (options_.verifies_ops()) {
    executor.run();
  } else {
    std::vector<ByteImage> wanted = outputs_of(program.expectations());
    for (ByteImage& image : images_of(messages)) wanted.push_back(std::move(image));
    executor.run_for(wanted);
  }
  EvaluatedMessages messages_with_values =
      evaluated(messages, [&](const TensorValue& value) { return executor.bytes(value); });
  for (const std::string& line : messages_with_values.prints) std::cerr << line << '\n';
  report.failed_assertions = std::move(messages_with_values.failed_assertions);
  phase2.evaluation_s = seconds_since(start);
  const Clock::time_point evaluated = Clock::now();
  if (options_.verifies() || counts_wrong_elements(program.expectations())) {
    std::vector<VerdictReport> verdicts = verify(executor, program.expectations(), stop);
    if (options_.verifies())
      report.verdicts = std::move(verdicts);
    else
      report.wrong_results = texts_of_wrong(verdicts);
  }
  if (origins != nullptr) report.operations = operations_->report(*origins);
  phase2.verification_s = seconds_since(evaluated);
} catch (const StoppedError& error) {
  const std::string why = Interrupt::requested()   ? "interrupted"
                          : allocation_refused()   ? "out of memory"
                          : memory_limit_reached() ? "stopped by --max-memory"
                                                   : "stopped by --max-wall";
  stopped_ = fmt::format("{} in phase 2: {}", why, error.what());
  report.phase2.reset();
  report.verdicts.reset();
  report.operations.reset();
}

void BenchRun::start_executor(const StopQuestion& stop) {
  DataExecutor& executor = executor_.emplace(functional_model_, threads_);
  executor.stop_when(stop);
  if (options_.verifies_ops()) {
    operations_.emplace(functional_model_, executor, stop);
  } else {
    functional_model_.live_values().keep(LiveValues::Keep::reachable);
  }
  const std::uint64_t limit = options_.data_memory_bytes();
  data_mode_ == DataMode::eager ? executor.start_eager(limit) : executor.start_deferred(limit);
}

RunReport::DataMemory BenchRun::data_memory() const {
  const LiveValues& values = functional_model_.live_values();
  const DataExecutor::Pauses& pauses = executor_->pauses();
  return {values.limit(), values.totals(), pauses,
          !options_.data_memory.empty() || pauses.slices + pauses.waits > 0};
}

RunReport BenchRun::report_of(const RunResult& result, const BenchProgram& program,
                              double elaboration_s) {
  RunReport report;
  report.bench = bench_.name;
  report.parameters = parameter_texts(bench_, parameters_);
  report.topology = options_.machine.topology_path();
  report.device = device_text(bench_, options_);
  report.seed = options_.seed;
  report.data = name_of(data_mode_);
  report.computing = computing_;
  report.result = result;
  // Ends of slices are arbitrary: a stopped run counts as simulated until the requested time.
  report.simulated = result.status == RunStatus::until_reached
                         ? *options_.until()
                         : program.ended().value_or(result.simulated);
  report.elaboration_s = elaboration_s;
  report.results = program.results();
  report.data_races = functional_model_.data_races();
  report.races = race_report(functional_model_);
  return report;
}

int BenchRun::conclude(const RunReport& report, const RunStatistics& statistics,
                       const Reports& reports) const {
  if (summary_ == nullptr) {
    show_report(report, statistics, reports, options_.json);
  } else {
    if (report.result.status == RunStatus::interrupted) check_memory_limit(report.simulated);
    summary_->json = report_json(report, statistics, reports);
    summary_->row_names = reports.row_names();
  }
  const std::string stopped =
      stopped_.empty() ? stopped_text(report.result, report.simulated) : stopped_;
  if (!stopped.empty())
    std::cerr << "kernbench: " << stopped << (options_.verifies() ? "; nothing is verified" : "")
              << report.result.programs << '\n';
  if (report_failed_accesses(report) || !report.ordered()) return exit_failed;
  for (const FailedAssertion& failure : report.failed_assertions)
    std::cerr << "kernbench: " << failure.text() << '\n';
  for (const std::string& wrong : report.wrong_results) std::cerr << "kernbench: " << wrong << '\n';
  if (!report.failed_assertions.empty() || !report.wrong_results.empty()) return exit_failed;
  if (report.verdicts && report.verdicts->empty())
    throw Error(fmt::format("bench '{}' names no output to verify", report.bench));
  if (report.verdicts) return report.verified() ? exit_done : exit_failed;
  if (!stopped_.empty()) return exit_failed;
  return ended_as_asked(report.result) && !options_.verifies() ? exit_done : exit_failed;
}

void declare_run(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<RunOptions>();
  options->add_to(command);
  invocation.on(command, [options, &invocation] {
    options->check();
    if (options->bench.empty()) return play_initiators(*options, invocation);
    BenchRun run(*options, invocation);
    if (!options->print_config) return run.simulate();
    std::cout << run.configuration();
    return exit_done;
  });
}
const CommandRegistration run_registration(
    10, "run", "Run a bench on the simulated machine; report times, utilisation and traffic",
    declare_run);

}  // namespace

BenchSummary run_bench(const RunOptions& options, const Invocation& invocation,
                       std::shared_ptr<const Catalogue> catalogue, unsigned threads) {
  BenchRun run(options, invocation, std::move(catalogue));
  return run.simulate_quietly(threads);
}

}  // namespace kernbench
