#include "sc_main/run_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/observe/transfer_path.h"
#include "platform/report/option_values.h"
#include "sc_main/bench_catalogue.h"
#include "sc_main/completion.h"
#include "sc_main/memory_limit.h"
#include "sc_main/result_files.h"
#include "sc_main/result_report.h"

namespace kernbench {

void RunOptions::add_to(CLI::App& command) {
  this->command = &command;
  const std::string run = "Run", results = "Results";
  completes(command
                .add_option("--bench", bench,
                            "Bench: name or index (kernbench list). Without it the machine's plain "
                            "TLM-2.0 initiators run until all are idle")
                ->group(run),
            [this](const std::string&) { return bench_candidates(machine.load_catalogue()); });
  completes(command.add_option("--param", params, "Parameter of the bench; repeatable")
                ->type_name("NAME=VALUE")
                ->allow_extra_args(false)
                ->group(run),
            [this](const std::string& typed) {
              return parameter_candidates(machine.load_catalogue(), bench, typed);
            });
  completes(
      command.add_option("--device", device, "SIP that runs the bench, or all: one copy on each")
          ->type_name("sip:N|all")
          ->capture_default_str()
          ->group(run),
      [](const std::string&) {
        return candidates_of({"sip:0", "all"});
      });
  command
      .add_flag("--untimed-inputs", untimed_inputs,
                "Host transfers before the first launch take no simulated time")
      ->group(run);
  command
      .add_option("--elaborate", elaborate,
                  "reachable: elaborate only what the cubes that the bench declares can reach; the "
                  "results are the same, sooner. Refused with outputs that list the whole machine")
      ->check(CLI::IsMember({"all", "reachable"}))
      ->capture_default_str()
      ->group(run);
  command.add_option("--seed", seed, "Seed of the bench's random input")
      ->check(whole_number())
      ->capture_default_str()
      ->group(run);
  command.add_option("--until", until_ns, "Stop at this simulated time")
      ->type_name("NS")
      ->group(run);
  command.add_option("--max-wall", max_wall_s, "Stop after this wall-clock time")
      ->type_name("SECONDS")
      ->group(run);
  command
      .add_option(
          "--deadlock-after", deadlock_after_ns,
          "Report a livelock after this much simulated time without progress; 0 disables the check")
      ->type_name("NS")
      ->capture_default_str()
      ->group(run);
  add_check_protocol_to(command, check_protocol);
  add_fabric_to(command, fabric);
  command
      .add_flag("--check-races", check_races,
                "Report data races: accesses of PEs and of the host to the same bytes, one of them "
                "a write, that no launch, message or barrier orders. Report messages that no PE "
                "receives. Exit status 1 if any is found. Needs data: default --data deferred")
      ->group(run);
  command
      .add_option("--max-deltas", max_deltas,
                  "Maximum delta cycles at one simulated time; the run fails beyond them and names "
                  "the active processes; 0: no limit")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str()
      ->group(run);
  machine.add_with_ccl_to(command);
  machine.add_energy_to(command);
  command
      .add_flag(
          "--verify-data", verify_data,
          "Compute the results and compare every output with the bench's reference; =ops: also "
          "compare every operation with a separate reference computed from its actual inputs")
      ->type_name("[=ops]")
      ->group(results);
  command
      .add_option(
          "--data", data,
          "off: times only; deferred: operations are recorded with their data and computed after "
          "the simulation; eager: computed during the simulation, so that kernels may branch on "
          "results. Default: off, or the mode that --verify-data or the bench needs")
      ->check(CLI::IsMember({"off", "deferred", "eager"}))
      ->group(results);
  command
      .add_option(
          "--data-memory", data_memory,
          "Host memory for recorded operations and values: at this size the simulation pauses to "
          "compute pending operations. Values and times do not change. Default: 256M")
      ->type_name("SIZE")
      ->group(results);
  command
      .add_option("--results", this->results,
                  "Write all rows of the bench's tables; the extension selects the format")
      ->type_name("F.csv|.json")
      ->group(results);
  command.add_flag("--json", json, "Print the summary as JSON")->group(results);
  command
      .add_flag("--print-config", print_config,
                "Print the configuration with every default resolved, without a simulation")
      ->group(results);
  reports.declare(command, ReportSource::run | ReportSource::initiators);
  command.footer(fmt::format(
      "Every result file F has a companion F.config.yaml: version, command line, and the "
      "configuration with every default "
      "resolved.\n\n"
      "{}Examples:\n"
      "  kernbench run --bench matmul-composite --verify-data\n"
      "  kernbench run --bench softmax-rows --param compute=steps --verify-data=ops\n"
      "  kernbench run --bench gemm-single-pe --param M=128 --param K=256 --topology tiny\n"
      "  kernbench run --bench mlp-fused --verify-data --op-log ops.sqlite\n"
      "  kernbench run --bench matmul-composite --breakdown --trace-requests requests.jsonl\n"
      "  kernbench run --bench matmul-composite --timeline gemm.pftrace\n"
      "  kernbench run --bench matmul-composite --trace gemm.fst --trace-scope 'sip0.cube0.pe0.*'\n"
      "  kernbench run --bench matmul-composite --trace gemm.vcd --trace-window 400:500 "
      "--trace-changed\n"
      "  kernbench run --bench matmul-composite --set "
      "cube.pe_template.components.pe_gemm.attrs.macs_per_cycle=8192 --stats "
      "stats.json\n"
      "  kernbench run --bench ccl-allreduce --topology six_sip --set "
      "ccl:defaults.algorithm=ring_allreduce --verify-data\n"
      "  kernbench run --bench ccl-allreduce --topology six_sip --log ccl\n"
      "  kernbench run --bench matmul-composite --energy --set "
      "energy:components.pe_gemm.macs_f16.pj=0.5\n"
      "  kernbench run --bench matmul-composite --log host --log 'sip0.cube0.pe0=debug'\n"
      "  kernbench run --bench 1 --print-config > resolved.yaml\n",
      latency_parts_help()));
}

DataMode RunOptions::data_mode(DataMode needed_by_bench) const {
  for (const DataMode mode : {DataMode::off, DataMode::deferred, DataMode::eager}) {
    if (data == name_of(mode)) return mode;
  }
  const bool with_data = verifies() || check_races;
  return std::max(needed_by_bench, with_data ? DataMode::deferred : DataMode::off);
}

std::uint64_t RunOptions::data_memory_bytes() const {
  return size_option("--data-memory", data_memory.empty() ? "256M" : data_memory);
}

void RunOptions::check() const {
  reports.check();
  if (verifies() && verify_data != "true" && verify_data != "ops") {
    throw UsageError(fmt::format(
        "--verify-data={}: allowed are --verify-data, for outputs, and --verify-data=ops",
        printable(verify_data)));
  }
  if (verifies() && data == "off")
    throw UsageError("--verify-data needs the data that --data off leaves out");
  if (check_races && data == "off")
    throw UsageError("--check-races needs the data that --data off leaves out");
  if (bench.empty()) check_without_bench();
  if (!elaborates_all()) {
    for (const std::string& option : reports.options_of_whole_machine()) {
      if (command->count(option) > 0)
        throw UsageError(fmt::format(
            "{} lists the whole machine, of which --elaborate reachable elaborates a part: leave "
            "out one of them",
            option));
    }
  }
  if (!results.empty()) check_results_file(results);
  std::vector<std::string> files = reports.files();
  files.push_back(results);
  // Reading the configuration for the files that it includes takes longer than a short run.
  if (std::any_of(files.begin(), files.end(), [](const auto& file) { return !file.empty(); }))
    check_result_files(machine.files_in_use(), files);
  until();
  deadlock_after();
  max_wall();
  machine.memory_bytes();
  data_memory_bytes();
}

// An option without effect is an error.
void RunOptions::check_without_bench() const {
  std::vector<std::string> of_bench = reports.options_without(ReportSource::initiators);
  of_bench.insert(of_bench.end(), {"--param", "--device", "--seed", "--verify-data", "--ccl",
                                   "--results", "--check-races", "--data-memory",
                                   "--untimed-inputs", "--kernel-limits", "--elaborate"});
  for (const std::string& option : of_bench) {
    if (command->count(option) > 0)
      throw UsageError(
          fmt::format("run: {} requires --bench; plain TLM-2.0 initiators run without it", option));
  }
  if (data == "eager")
    throw UsageError("run: --data eager requires --bench: initiators compute nothing in phase 2");
}

RunLimits RunOptions::limits() const {
  RunLimits limits;
  limits.until = until();
  limits.max_wall_s = max_wall();
  limits.deadlock_after = deadlock_after();
  limits.max_deltas = max_deltas;
  return limits;
}

std::vector<int> RunOptions::devices(int sips) const {
  if (device == "all") {
    std::vector<int> all(static_cast<std::size_t>(sips));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  const std::string number = device.compare(0, 4, "sip:") == 0 ? device.substr(4) : "";
  if (number.empty() || number.size() > 4 ||
      number.find_first_not_of("0123456789") != std::string::npos) {
    throw UsageError(
        fmt::format("--device {} is neither sip:N, e.g. sip:0, nor all", quote(device)));
  }
  const int sip = std::stoi(number);
  if (sip >= sips)
    throw UsageError(
        fmt::format("--device {}: this machine has {} SIP(s), from sip:0 on", device, sips));
  return {sip};
}

std::optional<Fs> RunOptions::until() const {
  if (until_ns.empty()) return std::nullopt;
  return time_option("--until", until_ns);
}

std::optional<double> RunOptions::max_wall() const {
  return seconds_option("--max-wall", max_wall_s);
}

std::optional<Fs> RunOptions::deadlock_after() const {
  const Fs after = time_option("--deadlock-after", deadlock_after_ns);
  return after == 0 ? std::nullopt : std::optional<Fs>(after);
}

}  // namespace kernbench
