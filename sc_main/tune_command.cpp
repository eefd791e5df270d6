// `kernbench tune-collectives`: measures the algorithms of collectives on a machine, and writes the
// tuning table by which `algorithm: auto` chooses.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "models/base/errors.h"
#include "platform/assembly/platform.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/probe/child_process.h"
#include "platform/topology/build_graph.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/ccl_file.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"
#include "sw/benches/bench_program.h"
#include "sw/distributed/rank_count.h"

namespace kernbench {
namespace {

struct TuneOptions {
  MachineOptions machine;
  std::vector<std::string> ops;
  std::int64_t min_bytes = 256, max_bytes = 1 << 20, step_factor = 4;
  std::string dtype = "f16", out;
  bool json = false;
};

// Measurements of one operation, all algorithms and sizes.
struct Measured {
  CollectiveOp op = CollectiveOp::all_reduce;
  std::vector<TuningSample> samples;
};

std::vector<CollectiveOp> ops_to_tune(const TuneOptions& options,
                                      const AlgorithmRegistry& algorithms) {
  const std::vector<std::string>& names = collective_op_names();
  std::vector<CollectiveOp> ops;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto op = static_cast<CollectiveOp>(i);
    const bool asked_for = options.ops.empty() || std::find(options.ops.begin(), options.ops.end(),
                                                            names[i]) != options.ops.end();
    if (asked_for && algorithms.names(op).size() > 1) ops.push_back(op);
  }
  if (ops.empty())
    throw UsageError("there is nothing to choose: each of these collectives has one algorithm");
  return ops;
}

// Sizes and times of the bench `collectives`, in place if the operation has that form.
std::vector<TuningSample> samples_of(const ResultTable& table, const std::string& algorithm) {
  const std::size_t by = table.column("algorithm"), bytes = table.column("bytes"),
                    time = table.column("time_ns");
  std::vector<TuningSample> samples;
  for (const auto& row : table.rows()) {
    if (std::get<std::string>(row[by]) != algorithm) continue;
    const auto nbytes = static_cast<std::uint64_t>(std::get<std::int64_t>(row[bytes]));
    const double time_ns = std::get<double>(row[time]);
    if (!samples.empty() && samples.back().nbytes == nbytes) samples.pop_back();
    samples.push_back({nbytes, algorithm, time_ns});
  }
  return samples;
}

// Machine in its state before a run, from which each algorithm starts in a child process.
class Tuning {
 public:
  Tuning(const TuneOptions& options, const Catalogue& catalogue, CclFile ccl, Platform& platform)
      : catalogue_(catalogue), ccl_(std::move(ccl)), platform_(platform),
        bench_(find_bench(catalogue.benches, "collectives")),
        sizes_{{"min_bytes", std::to_string(options.min_bytes)},
               {"max_bytes", std::to_string(options.max_bytes)},
               {"step_factor", std::to_string(options.step_factor)},
               {"dtype", options.dtype}} {
    resolve_parameters(bench_, sizes_);  // reported before anything runs
  }

  Measured measure(CollectiveOp op) const {
    const std::vector<std::string> names = catalogue_.algorithms->names(op);
    std::vector<std::function<std::string()>> bodies;
    for (const std::string& algorithm : names)
      bodies.emplace_back([this, op, algorithm] { return run(op, algorithm); });
    const std::vector<std::string> texts = in_children(bodies);
    Measured measured{op, {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::istringstream text(texts[i]);
      for (TuningSample sample{0, names[i], 0}; text >> sample.nbytes >> sample.time_ns;)
        measured.samples.push_back(sample);
    }
    return measured;
  }

 private:
  // Samples of the algorithm as text; none if it does not support the machine.
  std::string run(CollectiveOp op, const std::string& algorithm) const {
    TuningRow only;
    only.op = op;
    only.algorithm = algorithm;
    BenchOptions options;
    std::vector<GivenParameter> given = sizes_;
    given.emplace_back("op", name_of(op));
    options.parameters = resolve_parameters(bench_, given);
    options.ccl = ccl_;
    options.ccl.algorithm = automatic;
    options.ccl.tuning = std::make_shared<const TuningTable>(TuningTable{{only}});
    options.algorithms = catalogue_.algorithms;
    BenchProgram program(bench_, options);
    const RunResult result = platform_.run(program);
    if (result.cause) std::rethrow_exception(result.cause);
    std::string text;
    for (const TuningSample& sample : samples_of(program.results().at(0), algorithm))
      text += fmt::format("{} {}\n", sample.nbytes, sample.time_ns);
    return text;
  }

  const Catalogue& catalogue_;
  CclFile ccl_;
  Platform& platform_;
  const Bench& bench_;
  std::vector<GivenParameter> sizes_;
};

std::string measured_text(const std::vector<Measured>& all) {
  Table table({{"op", Table::Align::left},
               {"bytes", Table::Align::right},
               {"algorithm", Table::Align::left},
               {"time_ns", Table::Align::right}});
  for (const Measured& measured : all) {
    std::vector<TuningSample> samples = measured.samples;
    std::stable_sort(samples.begin(), samples.end(),
                     [](const auto& a, const auto& b) { return a.nbytes < b.nbytes; });
    for (const TuningSample& sample : samples)
      table.add({name_of(measured.op), std::to_string(sample.nbytes), sample.algorithm,
                 fmt::format("{:.3f}", sample.time_ns)});
  }
  return table.text();
}

nlohmann::ordered_json measured_json(const std::vector<Measured>& all, const TuningTable& table) {
  auto samples = nlohmann::ordered_json::array(), choices = nlohmann::ordered_json::array();
  for (const Measured& measured : all) {
    for (const TuningSample& sample : measured.samples)
      samples.push_back({{"op", name_of(measured.op)},
                         {"bytes", sample.nbytes},
                         {"algorithm", sample.algorithm},
                         {"time_ns", sample.time_ns}});
  }
  for (const TuningRow& row : table.rows) {
    nlohmann::ordered_json choice{{"op", name_of(row.op)},
                                  {"sip_topology", row.sip_topology.value_or("")},
                                  {"ranks", row.ranks.value_or(0)},
                                  {"rank_unit", name_of(row.rank_unit.value_or(RankUnit::sip))},
                                  {"min_bytes", row.min_bytes},
                                  {"max_bytes", nullptr},
                                  {"algorithm", row.algorithm}};
    if (row.max_bytes) choice["max_bytes"] = *row.max_bytes;
    choices.push_back(std::move(choice));
  }
  return {{"measured", std::move(samples)}, {"choices", std::move(choices)}};
}

int tune(const TuneOptions& options, const Invocation& invocation) {
  check_result_files(options.machine.files_in_use(), {options.out});
  const Catalogue catalogue = options.machine.load_catalogue();
  CclFile ccl = options.machine.load_ccl(*catalogue.algorithms, false);
  ccl.algorithm = CclFile().algorithm;
  const CclSettings settings = resolve(ccl, *catalogue.algorithms);
  const std::vector<CollectiveOp> ops = ops_to_tune(options, *catalogue.algorithms);
  const MachineSpec spec = options.machine.load_spec(catalogue.components);
  const std::string configuration = configuration_text(
      invocation, {{"topology", options.machine.topology_path()}}, spec, catalogue);
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  Platform platform(build_graph(spec), catalogue.components, platform_options);
  const RankGroup ranks = ranks_of(platform.machine(), settings);
  if (ranks.size == 1) throw UsageError("there is nothing to choose: this machine has one rank");

  ResultFile file = open_result(options.out, configuration);
  const Tuning tuning(options, catalogue, ccl, platform);
  std::vector<Measured> all;
  TuningTable table;
  for (const CollectiveOp op : ops) {
    all.push_back(tuning.measure(op));
    TuningRow calls;
    calls.op = op;
    calls.sip_topology = ranks.grid.topology;
    calls.ranks = ranks.size;
    calls.rank_unit = ranks.unit;
    const auto rows = rows_of_the_fastest(calls, all.back().samples);
    table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  }
  file.out() << "# Tuning table of collectives: in ccl.yaml, algorithm: auto and tuning_table: "
                "this file.\n"
             << "# " << invocation.line() << '\n'
             << tuning_text(table);
  file.close();
  std::cout << (options.json ? json_text(measured_json(all, table), 2) + '\n'
                             : measured_text(all) + '\n' + tuning_text(table));
  return exit_done;
}

void declare_tune_collectives(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<TuneOptions>();
  command.add_option("--out", options->out, "File for the tuning table")
      ->type_name("F.yaml")
      ->required();
  command
      .add_option("--op", options->ops,
                  "Collective; repeatable (default: all with several algorithms)")
      ->check(CLI::IsMember(collective_op_names()))
      ->allow_extra_args(false);
  command.add_option("--min-bytes", options->min_bytes, "Smallest size of a rank's data")
      ->type_name("B")
      ->capture_default_str();
  command.add_option("--max-bytes", options->max_bytes, "Largest size of a rank's data")
      ->type_name("B")
      ->capture_default_str();
  command.add_option("--step-factor", options->step_factor, "Factor from one size to the next")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--dtype", options->dtype, "Type of the elements")
      ->check(CLI::IsMember({"f16", "bf16", "f32", "i32"}))
      ->capture_default_str();
  command.add_flag("--json", options->json, "Print measurements and choices as JSON");
  options->machine.add_with_ccl_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench tune-collectives --topology six_sip --out six_sip.tuning.yaml\n"
      "  kernbench run --bench collectives --topology six_sip --set ccl:defaults.algorithm=auto "
      "--set ccl:tuning_table=six_sip.tuning.yaml\n\n"
      "Each algorithm runs the bench collectives on a separate machine; the table applies to its "
      "numbers of ranks and SIPs.\n");
  invocation.on(command, [options, &invocation] { return tune(*options, invocation); });
}
const CommandRegistration tune_collectives_registration(
    90, "tune-collectives",
    "Measure the algorithms of collectives by size on a machine; write the tuning table for "
    "algorithm: auto of ccl.yaml",
    declare_tune_collectives);

}  // namespace
}  // namespace kernbench
