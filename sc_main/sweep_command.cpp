// `kernbench sweep`: runs a bench over the points of a plan, in worker processes, into one result
// file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "models/base/errors.h"
#include "platform/config/shipped_files.h"
#include "sc_main/list_sweeps.h"
#include "sc_main/machine_options.h"
#include "sc_main/result_files.h"
#include "sc_main/sweep_run.h"
#include "sc_main/sweep_shard.h"

namespace kernbench {
namespace {

// Results are in the working folder: a plan may be read-only.
std::string results_path(const SweepOptions& options, const SweepShard& shard) {
  if (!options.results.empty()) return options.results;
  if (options.output.is_requested()) return options.output.results();
  const std::string name = std::filesystem::path(options.plan).stem().string() +
                           (options.varies_keys ? ".sensitivity" : "");
  return shard_path(name + ".sqlite", shard);
}

bool is_plan(const std::string& name) {
  const std::vector<std::string> shipped = shipped_plans();
  return std::filesystem::is_regular_file(name) ||
         std::find(shipped.begin(), shipped.end(), name) != shipped.end();
}

// Options with optional values take the plan that follows them: --sensitivity M plan.yaml.
void take_plan_from_options(SweepOptions& options) {
  std::vector<std::string>& keys = options.sensitivity.keys;
  if (!options.plan.empty()) return;
  if (!keys.empty() && is_plan(keys.back())) {
    options.plan = keys.back();
    keys.pop_back();
  } else if (is_plan(options.slurm.arguments)) {
    options.plan = options.slurm.arguments;
    options.slurm.arguments.clear();
  }
}

int sweep(const SweepOptions& options, const Invocation& invocation) {
  if (options.plan.empty())
    throw UsageError("sweep: a plan is missing, e.g. kernbench sweep PLAN.yaml");
  if (options.json && options.csv) throw UsageError("sweep: --json and --csv exclude each other");
  if (options.csv && !options.dry_run && !options.varies_keys)
    throw UsageError(
        "sweep: --csv goes with --dry-run or --sensitivity; a sweep always writes a CSV");
  if (options.on_slurm && !options.shard.empty())
    throw UsageError("sweep: --shard and --slurm exclude each other; --shards N is their number");
  if (options.on_slurm && options.dry_run)
    throw UsageError("sweep: --slurm and --dry-run exclude each other");
  if (options.on_slurm && options.output.reuse)
    throw UsageError("sweep: --slurm and --reuse exclude each other: --reuse runs nothing");
  options.output.check({{"--results", !options.results.empty()},
                        {"--shard", !options.shard.empty()},
                        {"--sensitivity", options.varies_keys},
                        {"--dry-run", options.dry_run}});
  const SweepShard shard = shard_of(options.shard);
  SweepPlan plan = load_plan(find_plan(options.plan), options_of_points());
  check_derived(plan);
  std::optional<Sensitivity> sensitivity;
  if (options.varies_keys) {
    plan = sensitivity.emplace(plan, options.sensitivity, options.max_points).plan();
  } else if (plan.axes.empty()) {
    throw UsageError(plan.path +
                     ": axes: the key is missing: what varies from point to point; the plan has no "
                     "axes: it needs --sensitivity");
  }
  constexpr std::uint64_t most_listed = 100'000;
  const SweepPoints points(plan, options.max_points, options.dry_run ? most_listed : UINT64_MAX);
  if (options.output.reuse) return options.output.redraw(plan, points, options.json);
  if (shard.share_of(points.total()) == 0)
    throw UsageError(fmt::format("--shard {}: the plan has {} point{}", options.shard,
                                 points.total(), points.total() == 1 ? "" : "s"));
  SweepRun run(options, plan, points, shard);
  if (options.dry_run) {
    if (points.size() > 0) run.check();
    return print_points(plan, points, shard, options.format());
  }
  create_folder(options.output.folder);
  const std::string results = results_path(options, shard);
  const std::optional<int> status = options.on_slurm
                                        ? run.distribute(invocation, results)
                                        : std::optional<int>(run.run(invocation, results));
  if (!status) return exit_failed;
  if (options.on_slurm && options.output.is_requested())
    return std::max(*status, options.output.redraw(plan, points, options.json));
  if (!sensitivity || shard.of > 1) return *status;
  return std::max(*status, sensitivity->print(results, options.format()));
}

void declare_sweep(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<SweepOptions>();
  completes(command
                .add_option("plan", options->plan,
                            "Plan of the sweep: a file, or the name of a shipped one (kernbench "
                            "list sweeps)")
                ->type_name("F.yaml"),
            &plan_candidates);
  command
      .add_option("--results", options->results,
                  "Result file, which a repeated command resumes (default: the plan's name, in the "
                  "working folder); a CSV is written next to it")
      ->type_name("F.sqlite");
  options->output.add_to(command);
  command.add_flag("--dry-run", options->dry_run, "List the points and their number, run none");
  command.add_option("-j,--jobs", options->jobs, "Worker processes (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command
      .add_option("--shard", options->shard,
                  "Run part I of N of the points, from 1/N on; sweep merge joins the result files")
      ->type_name("I/N");
  command.add_option("--max-points", options->max_points, "Refuse a plan of more points")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str();
  command
      .add_option("--max-memory", options->max_memory,
                  "Memory limit of each worker, e.g. 2G; a point that exceeds it fails. Default: "
                  "three quarters of the host's memory, divided by the number of workers")
      ->type_name("SIZE");
  command.add_flag(
      "--json", options->json,
      "Print the summary, the points of --dry-run or the table of --sensitivity as JSON");
  command.add_flag("--csv", options->csv,
                   "Print the points of --dry-run, or the table of --sensitivity, as CSV");
  options->sensitivity.add_to(command);
  options->slurm.add_to(command);
  command.footer(
      "A plan (docs/spec/10-cli.md, 10.6):\n"
      "  bench: gemm-single-pe\n"
      "  topology: tiny\n"
      "  axes:\n"
      "    size: {sets: [M, N], values: [32, 64, 128]}\n"
      "    cube.pe_template.components.pe_gemm.attrs.macs_per_cycle: {from: 2048, to: 8192, "
      "factor: 2}\n"
      "  where: size * K <= 8192\n"
      "  params: {K: 64}\n"
      "  derived: {tflops: 2 * M * N * K / simulated_ns / 1000}\n\n"
      "The same command resumes an interrupted sweep: points that are done are not run again. A "
      "failed point keeps its message and is run again.\n\n"
      "Examples:\n"
      "  kernbench sweep plan.yaml --dry-run\n"
      "  kernbench sweep milestone-gemm\n"
      "  kernbench sweep plan.yaml --results gemm.sqlite -j 4\n"
      "  kernbench sweep plan.yaml --out study    # with figures and study/index.html\n"
      "  kernbench sweep plan.yaml --out study --reuse\n"
      "  kernbench sweep plan.yaml --sensitivity 'cube.links.*_bw_gbs' M\n"
      "  kernbench sweep plan.yaml --shard 1/8\n"
      "  kernbench sweep merge plan.*of8.sqlite --results plan.sqlite\n"
      "  kernbench sweep plan.yaml --slurm='--partition=long --cpus-per-task=4' --shards 16\n");
  invocation.on(command, [options, &command, &invocation] {
    options->varies_keys = command.count("--sensitivity") > 0;
    options->on_slurm = command.count("--slurm") > 0;
    for (const char* name : {"--step", "--of"})
      if (!options->varies_keys && command.count(name) > 0)
        throw UsageError(fmt::format("sweep: {} goes with --sensitivity", name));
    if (!options->on_slurm && command.count("--shards") > 0)
      throw UsageError("sweep: --shards goes with --slurm; --shard I/N runs one of N");
    take_plan_from_options(*options);
    return sweep(*options, invocation);
  });
}
const CommandRegistration sweep_registration(
    85, "sweep", "Run a bench over the points of a plan, on all processors; resumable",
    declare_sweep);

}  // namespace
}  // namespace kernbench
