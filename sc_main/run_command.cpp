// `kernbench run`: a bench on a machine, from the command line to the verdict.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "models/base/errors.h"
#include "platform/assembly/platform.h"
#include "platform/config/resolved_config.h"
#include "platform/events/op_log_recorder.h"
#include "platform/observe/bottleneck.h"
#include "platform/observe/op_origins.h"
#include "platform/observe/transfer_breakdown.h"
#include "platform/phase2/device_messages.h"
#include "platform/topology/build_graph.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/command.h"
#include "sc_main/initiators_run.h"
#include "sc_main/interrupt.h"
#include "sc_main/kernel_summary.h"
#include "sc_main/memory_limit.h"
#include "sc_main/progress_line.h"
#include "sc_main/result_files.h"
#include "sc_main/results_file.h"
#include "sc_main/run_facts.h"
#include "sc_main/run_observers.h"
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

std::vector<LaunchRow> launch_rows(const std::vector<LaunchRecord>& launches) {
  std::vector<LaunchRow> rows;
  for (const LaunchRecord& launch : launches) {
    rows.push_back({launch.name, devices_of(launch.metrics), launch.metrics.issued,
                    launch.metrics.ended, launch.request_ids});
  }
  return rows;
}

// Of phase 2; --max-wall holds from now on.
StopQuestion stop_question(const std::optional<double>& max_wall_s) {
  const Clock::time_point start = Clock::now();
  return [max_wall_s, start] {
    return stop_requested() || (max_wall_s && seconds_since(start) >= *max_wall_s);
  };
}

unsigned executor_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

// torch.stats of the bench.
class RegionsOfBench final : public StatisticsListener {
 public:
  explicit RegionsOfBench(const Platform& platform) : regions_(platform) {}
  void reset(Fs now) override { regions_.reset(now); }
  void dump(const std::string& label, Fs now) override { regions_.dump(label, now); }
  const StatisticsRegions& regions() const { return regions_; }

 private:
  StatisticsRegions regions_;
};

// Calls of torch.distributed, for the timeline.
class CallsOfBench final : public CallListener {
 public:
  explicit CallsOfBench(Timeline& timeline) : timeline_(timeline) {}
  std::uint64_t begin(const DistributedCall& call) override {
    TimelineArguments arguments;
    if (!call.details.empty()) arguments.emplace_back("details", call.details);
    return timeline_.begin_call(call.rank, call.name, std::move(arguments));
  }
  void end(std::uint64_t call) override { timeline_.end_call(call); }

 private:
  Timeline& timeline_;
};

// One run: the machine, its observers, and its results.
class BenchRun {
 public:
  BenchRun(const RunOptions& options, const Invocation& invocation)
      : options_(options), catalogue_(options.machine.load_catalogue()),
        bench_(find_bench(catalogue_.benches, options.bench)),
        parameters_(resolve_parameters(bench_, given_parameters(options.params))),
        spec_(options.machine.load_spec(catalogue_.components)),
        ccl_(options.machine.load_ccl(*catalogue_.algorithms)), graph_(build_graph(spec_)),
        devices_(options.devices(spec_.system.sips.count)),
        data_mode_(options.data_mode(bench_.needs_data)), invocation_(invocation),
        computing_(data_mode_ == DataMode::off
                       ? ""
                       : computing_components(*graph_, catalogue_.components)) {
    if (!computing_.empty()) data_mode_ = DataMode::eager;
    if (data_mode_ == DataMode::off && !options.data_memory.empty())
      throw UsageError("--data-memory: this run has no data; --data deferred or eager has them");
    facts_ = facts_of(bench_, parameter_texts(bench_, parameters_), options, name_of(data_mode_),
                      resolve(ccl_, *catalogue_.algorithms), catalogue_.plugins_text());
    configuration_ =
        configuration_text(invocation, facts_, resolved_config(spec_, catalogue_.components));
  }

  const std::string& configuration() const { return configuration_; }
  int simulate();

 private:
  void start_executor(const StopQuestion& stop);
  RunReport::DataMemory data_memory() const;
  bool lists_launches() const;
  void evaluate(const BenchProgram& program, const OpOrigins* origins, const StopQuestion& stop,
                RunReport& report);
  RunReport report_of(const RunResult& result, const BenchProgram& program,
                      const KernelSummary& kernels, double elaboration_s);
  int conclude(const RunReport& report, const RunStatistics& statistics) const;

  const RunOptions& options_;
  Catalogue catalogue_;
  const Bench& bench_;
  Attributes parameters_;
  MachineSpec spec_;
  CclFile ccl_;
  std::optional<Graph> graph_;  // until the platform has it
  std::vector<int> devices_;
  DataMode data_mode_;
  const Invocation& invocation_;
  std::string computing_;  // for which data are eager; empty: none
  NamesAndTexts facts_;
  std::string configuration_;
  FunctionalModel functional_model_;
  std::optional<DataExecutor> executor_;  // with data
  std::optional<OperationsVerification> operations_;
  std::string stopped_;  // how far phase 2 came before it was stopped; empty: it was not
};

int BenchRun::simulate() {
  const Clock::time_point start = Clock::now();
  if (options_.check_races) functional_model_.detect_races();
  ActivityWindows windows;
  PlatformOptions platform_options;
  platform_options.data = data_mode_ == DataMode::off ? nullptr : &functional_model_;
  platform_options.check_protocol = options_.check_protocol;
  platform_options.tear_down = false;
  const auto built =
      std::make_unique<Platform>(*std::move(graph_), catalogue_.components, platform_options);
  const Interrupt
      interrupt;  // before that a signal ends the program at once; nothing has been written
  Platform& platform = *built;
  AnalysisPort<ExecutedOp>& executed_ops = platform.observation().executed_ops;
  executed_ops.bind(windows);
  KernelWork kernel_work(platform);
  Bottleneck bottleneck(platform, options_.kernel_limits);
  const PeTimes pe_times(platform.observation());
  const KernelRemains remains(platform.observation());
  KernelSummary kernels(kernel_work, lists_launches());
  const CclSettings ccl = resolve(ccl_, *catalogue_.algorithms);
  RunObservers observers(options_.observers, platform, configuration_, {}, ccl.rank_unit);

  functional_model_.record_moves(!options_.op_log.empty());
  std::optional<OpLogRecorder> op_log;
  if (!options_.op_log.empty())
    op_log.emplace(open_result(options_.op_log, configuration_), functional_model_, platform,
                   options_.op_log_limit);
  std::optional<ResultFile> results;
  if (!options_.results.empty()) results.emplace(open_result(options_.results, configuration_));
  std::optional<OpOrigins> origins;
  if (options_.verifies_ops()) executed_ops.bind(origins.emplace());
  std::optional<CallsOfBench> calls;
  if (observers.timeline() != nullptr) calls.emplace(*observers.timeline());
  std::optional<TransferBreakdown> breakdown;
  if (options_.breakdown) breakdown.emplace(platform);
  const StopQuestion stop = stop_question(options_.max_wall());
  if (data_mode_ != DataMode::off) start_executor(stop);
  const double elaboration_s = seconds_since(start);

  std::optional<RegionsOfBench> regions;
  if (observers.statistics() != nullptr || op_log) regions.emplace(platform);
  BenchProgram program(
      bench_,
      {parameters_, devices_, options_.seed, ccl_, regions ? &*regions : nullptr,
       calls ? &*calls : nullptr, catalogue_.algorithms, Log::find(platform.host()),
       Log::find(platform.host(), LogRequest::collectives), options_.untimed_inputs, &kernels});
  ProgressLine progress;
  RunLimits limits = options_.limits();
  limits.interrupted = &stop_requested;
  limits.progress = [&](const RunProgress& at) {
    progress.show(at);
    observers.rest();
  };
  const RunResult result = platform.run(program, limits);
  progress.clear();

  kernels.close();
  RunReport report = report_of(result, program, kernels, elaboration_s);
  for (const std::string& warning : program.warnings())
    std::cerr << "kernbench: warning: " << warning << '\n';
  report.pe_time = pe_times.kernels();
  bottleneck.close();
  report.bottleneck = &bottleneck;
  if (result.status == RunStatus::completed) report.remainders = remains.remainders();
  report_order(report);
  report.initiators = initiator_accesses(platform);
  if (breakdown) report.breakdown = &*breakdown;
  observers.close(report.simulated);
  const RunStatistics statistics(platform, windows, report.simulated);
  if (observers.statistics() != nullptr)
    observers.statistics()->close(statistics, regions->regions(), bottleneck,
                                  kernels_json(report.kernels));
  if (op_log)
    op_log->close(launch_rows(kernels.launches()), bottleneck, regions->regions(),
                  op_log_meta(invocation_, configuration_, facts_, report.kernels));
  if (result.cause) std::rethrow_exception(result.cause);
  const bool has_messages = !functional_model_.messages().empty();
  const bool asks_for_values =
      options_.verifies() || has_messages || counts_wrong_elements(program.expectations());
  if (result.status == RunStatus::completed && (asks_for_values || data_mode_ == DataMode::eager)) {
    evaluate(program, origins ? &*origins : nullptr, stop, report);
  }
  if (executor_) report.data_memory = data_memory();
  if (results) write_results(*results, report.results);
  return conclude(report, statistics);
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
  EvaluatedMessages told = evaluated(messages, executor);
  for (const std::string& line : told.prints) std::cerr << line << '\n';
  report.failed_assertions = std::move(told.failed_assertions);
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
                          : memory_limit_reached() ? "stopped by --max-memory"
                                                   : "stopped by --max-wall";
  stopped_ = fmt::format("{} in phase 2: {}", why, error.what());
  report.phase2.reset();
  report.verdicts.reset();
  report.operations.reset();
}

void BenchRun::start_executor(const StopQuestion& stop) {
  DataExecutor& executor = executor_.emplace(functional_model_, executor_threads());
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

// Rows of single launches go somewhere.
bool BenchRun::lists_launches() const {
  return options_.per_launch || options_.json || !options_.op_log.empty() ||
         !options_.observers.stats.empty();
}

RunReport BenchRun::report_of(const RunResult& result, const BenchProgram& program,
                              const KernelSummary& kernels, double elaboration_s) {
  RunReport report;
  report.bench = bench_.name;
  report.parameters = parameter_texts(bench_, parameters_);
  report.topology = options_.machine.topology_path();
  report.device = bench_.per_device ? options_.device : "as the bench chooses";
  report.seed = options_.seed;
  report.data = name_of(data_mode_);
  report.computing = computing_;
  report.result = result;
  // Where slices end is an accident: a run that was stopped has been simulated until the time that
  // was asked for.
  report.simulated = result.status == RunStatus::until_reached
                         ? *options_.until()
                         : program.ended().value_or(result.simulated);
  report.elaboration_s = elaboration_s;
  report.kernels = kernels.kernels();
  report.kernel_groups = kernels.groups();
  report.per_launch = options_.per_launch;
  report.results = program.results();
  report.data_races = functional_model_.data_races();
  report.races = race_report(functional_model_);
  return report;
}

int BenchRun::conclude(const RunReport& report, const RunStatistics& statistics) const {
  show_report(report, statistics, options_.json);
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
    10, "run", "Runs a bench on the simulated machine and reports times, utilisation and traffic",
    declare_run);

}  // namespace
}  // namespace kernbench
