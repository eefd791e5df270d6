// Runs a bench as the program does: on a whole machine, with phase 2 and the verdict on every
// expectation. Once per process, so inside a forked child.
//
//   const BenchOutcome outcome = run_bench("matmul-composite", {{"M", "33"}});
//   BOOST_TEST(outcome.failures.empty(), outcome.failures);
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/data/race_detector.h"
#include "platform/phase2/data_executor.h"
#include "platform/probe/pe_transfer_meter.h"
#include "sc_main/output_verification.h"
#include "sw/benches/bench_program.h"
#include "sw/benches/bench_registry.h"
#include "tests/support/whole_machine.h"

namespace kernbench::test {

struct BenchRunOptions {
  std::string topology = "topology.tiny.yaml";
  std::vector<Override> overrides;
  std::vector<int> devices{0};
  std::vector<CubeId> cubes;  // elaborated with what they can reach; empty: all
  std::uint64_t seed = 1;
  CclFile ccl;  // of torch.distributed
  DataMode data = DataMode::deferred;
  unsigned threads = 2;     // of phase 2
  bool records = true;      // fill op_log
  bool check_races = true;  // accesses that nothing orders are failures; with data on
  // Receives the expectations of the bench instead of comparing its outputs with them.
  std::function<void(const std::vector<Expectation>&)> judge;
  // On the data before the simulation starts.
  std::function<void(FunctionalModel&)> prepare;
};

struct BenchOutcome {
  std::string status;                // name_of(RunStatus): "completed", "failed", ...
  std::string error;                 // of the run
  bool usage_error = false;          // it is one: exit status 2
  Fs ended = 0;                      // of the bench
  Fs longest_launch = 0;             // the largest pe_exec
  std::uint64_t verified = 0;        // elements compared
  std::vector<std::string> tensors;  // the names of the expectations
  std::string failures;              // of the verification, one per line; empty: all is right
  std::string
      outputs;  // the bytes of every expectation's blocks, in the order of the tensors' names
  std::vector<std::string> warnings;
  std::vector<ResultTable> results;  // that the bench reports
  std::uint64_t data_races = 0;
  std::string op_log;  // as CSV
};

// Judges every expectation once phase 2 has run.
inline void judge_all(const std::vector<Expectation>& expectations, const DataExecutor& executor,
                      BenchOutcome& outcome) {
  std::map<std::string, std::string>
      by_name;  // in which order ranks come to their ends depends on time
  for (const Expectation& expectation : expectations) {
    outcome.tensors.push_back(expectation.name);
    for (const ExpectedBlock& block : expectation.blocks) {
      const std::vector<std::byte> bytes = executor.bytes(block.value);
      by_name[expectation.name].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    const OutputVerification verification = verify_output(expectation, executor);
    outcome.verified += verification.comparison.elements;
    if (!verification.comparison.ok)
      outcome.failures += failure_text(expectation, verification) + "\n";
  }
  for (const auto& [name, bytes] : by_name) outcome.outputs += bytes;
}

inline bool is_usage_error(const std::exception_ptr& cause) {
  try {
    if (cause) std::rethrow_exception(cause);
  } catch (const UsageError&) {
    return true;
  } catch (const SpawnError& error) {
    return error.wrong_usage();
  } catch (...) {
  }
  return false;
}

inline MachineOptions machine_options(const BenchRunOptions& options) {
  MachineOptions machine(MachineOptions::Engines::builtin);
  machine.data = options.data != DataMode::off;
  machine.records = options.records;
  machine.cubes = options.cubes;
  return machine;
}

inline BenchOutcome run_bench(const Bench& bench, const std::vector<GivenParameter>& parameters,
                              const BenchRunOptions& options = {}) {
  WholeMachine machine(options.topology, options.overrides, machine_options(options));
  if (options.check_races && options.data != DataMode::off) machine.data.detect_races();
  if (options.prepare) options.prepare(machine.data);
  std::optional<DataExecutor> executor;
  if (options.data == DataMode::eager)
    executor.emplace(machine.data, options.threads).start_eager();
  std::optional<PeTransferMeter> meter;
  if (bench.measures_transfers) meter.emplace(*machine.platform);
  BenchOptions bench_options{resolve_parameters(bench, parameters), options.devices, options.seed,
                             options.ccl};
  bench_options.transfers = meter ? &*meter : nullptr;
  BenchProgram program(bench, bench_options);
  const RunResult result = machine.platform->run(program);
  BenchOutcome outcome;
  outcome.status = name_of(result.status);
  outcome.error = result.error;
  outcome.usage_error = is_usage_error(result.cause);
  outcome.ended = program.ended().value_or(0);
  outcome.results = program.results();
  outcome.warnings = program.warnings();
  outcome.data_races = machine.platform->data_races();
  for (const LaunchRecord& launch : program.launches())
    outcome.longest_launch = std::max(outcome.longest_launch, launch.metrics.merged.pe_exec);
  std::ostringstream text;
  machine.op_log.write_csv(
      text, [](const sc_core::sc_object* node) { return std::string(node->name()); });
  outcome.op_log = text.str();
  meter.reset();
  machine.platform.reset();
  if (const RaceDetector* races = machine.data.races()) {
    for (const Race& race : races->races()) outcome.failures += race.text() + "\n";
  }
  if (options.data != DataMode::off && outcome.status == "completed") {
    if (!executor) executor.emplace(machine.data, options.threads);
    if (options.judge) {
      options.judge(program.expectations());
      return outcome;
    }
    executor->run();
    judge_all(program.expectations(), *executor, outcome);
  }
  return outcome;
}

inline BenchOutcome run_bench(const std::string& name,
                              const std::vector<GivenParameter>& parameters,
                              const BenchRunOptions& options = {}) {
  BenchRegistry benches;
  register_benches(benches);
  return run_bench(benches.find(name), parameters, options);
}

// A function of the test as a bench.
inline BenchOutcome run_function(void (*run)(Torch&), const BenchRunOptions& options = {}) {
  return run_bench(Bench{"test-bench", "for a test", {}, run}, {}, options);
}

}  // namespace kernbench::test
