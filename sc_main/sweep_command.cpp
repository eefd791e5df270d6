// `kernbench sweep`: runs a bench over the points of a plan, in worker processes, into one result
// file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/config/shipped_files.h"
#include "platform/output/json_text.h"
#include "platform/output/result_file.h"
#include "platform/report/option_values.h"
#include "platform/sweep/process_pool.h"
#include "platform/sweep/sweep_file.h"
#include "platform/sweep/sweep_plan.h"
#include "platform/sweep/sweep_points.h"
#include "platform/sweep/text_hash.h"
#include "sc_main/build_info.h"
#include "sc_main/command.h"
#include "sc_main/interrupt.h"
#include "sc_main/list_sweeps.h"
#include "sc_main/machine_options.h"
#include "sc_main/progress_line.h"
#include "sc_main/sweep_output.h"
#include "sc_main/sweep_point.h"
#include "sc_main/sweep_result.h"
#include "sc_main/sweep_sensitivity.h"
#include "sc_main/sweep_shard.h"
#include "sc_main/sweep_slurm.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct SweepOptions {
  std::string plan, results, shard, max_memory;
  std::uint64_t max_points = 100'000;
  unsigned jobs = 0;  // 0: one per processor
  bool dry_run = false, json = false, csv = false;
  SweepOutput output;
  bool varies_keys = false;  // --sensitivity
  SensitivityOptions sensitivity;
  bool on_slurm = false;  // --slurm
  SlurmOptions slurm;

  SweepFormat format() const {
    if (json) return SweepFormat::json;
    return csv ? SweepFormat::csv : SweepFormat::text;
  }

  unsigned workers() const {
    return jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  }
};

// Results are in the working folder: a plan may be read-only.
std::string results_path(const SweepOptions& options, const SweepShard& shard) {
  if (!options.results.empty()) return options.results;
  if (options.output.is_requested()) return options.output.results();
  const std::string name = std::filesystem::path(options.plan).stem().string() +
                           (options.varies_keys ? ".sensitivity" : "");
  return shard_path(name + ".sqlite", shard);
}

// Run of a plan, or of a shard of it, into its result file.
class Sweep {
 public:
  Sweep(const SweepOptions& options, const SweepPlan& plan, const SweepPoints& points,
        const SweepShard& shard)
      : options_(options), plan_(plan), points_(points), shard_(shard),
        runner_(plan, {memory_of_worker(options), threads_of_worker(options)}) {}

  int run(const Invocation& invocation, const std::string& results);
  // Runs it as a job array of Slurm; none: it is not complete.
  std::optional<int> distribute(const Invocation& invocation, const std::string& results);

 private:
  static std::uint64_t memory_of_worker(const SweepOptions& options) {
    const std::uint64_t bytes = memory_limit(options.max_memory);
    return options.max_memory.empty() ? std::max<std::uint64_t>(bytes / options.workers(), 1 << 20)
                                      : bytes;
  }
  static unsigned threads_of_worker(const SweepOptions& options) {
    return std::max(1U, std::thread::hardware_concurrency() / options.workers());
  }
  std::vector<PlanValue> settings(std::uint64_t point) const {
    return plan_.settings_of(points_.axis_values(point - 1));
  }

  // The format of the summary: with --sensitivity the table is what is printed as JSON or CSV.
  SweepFormat format() const {
    const bool is_quiet = options_.varies_keys && options_.format() != SweepFormat::text;
    return is_quiet ? SweepFormat::none : options_.format();
  }

  void check() const;
  void make_keys();
  void open(SweepFile& file, const Invocation& invocation);
  void report_changes(const SweepFile& file) const;
  void run_points(SweepFile& file);
  SweepRow row_of(const RequestedPoint& point, const ProcessOutcome& outcome) const;

  const SweepOptions& options_;
  const SweepPlan& plan_;
  const SweepPoints& points_;
  SweepShard shard_;
  PointRunner runner_;
  std::vector<RequestedPoint> requested_;  // points of this shard, without duplicates
  std::string plan_hash_;
  std::size_t repeated_ = 0;
  std::vector<std::size_t> pending_;  // indices in requested_
  SweepProgress progress_;
};

// In a process of its own, because it may load plug-ins that only the points load.
void Sweep::check() const {
  ProcessPool pool(1,
                   [this](std::uint64_t point) { return ' ' + runner_.faults(settings(point)); });
  pool.start(1);
  std::optional<ProcessOutcome> outcome;
  while (!outcome && !Interrupt::requested()) outcome = pool.wait(1000);
  if (!outcome) throw Error("interrupted");
  if (!outcome->fault.empty())
    throw UsageError(fmt::format("{}: the check of the plan {}: {}", plan_.path, outcome->fault,
                                 outcome->errors));
  if (outcome->value.size() > 1) throw UsageError(outcome->value.substr(1));
}

// A point is identified by its command, the contents of the files that it reads, and the columns
// with keys.
void Sweep::make_keys() {
  InputFiles files;
  std::set<std::string> seen;
  std::string all, columns;
  for (const PlanColumn& each : plan_.keys) columns += '\n' + each.name + ' ' + each.key;
  for (std::uint64_t point = 1; point <= points_.size(); ++point) {
    const std::vector<std::string> values = points_.axis_values(point - 1);
    const std::vector<PlanValue> settings = plan_.settings_of(values);
    std::string text = files.hash(settings);
    for (const std::string& word : words_of_point(settings)) text += '\n' + word;
    std::string key = text_hash(text + columns);
    if (!seen.insert(key).second) {
      ++repeated_;
      continue;
    }
    all += key;
    if (shard_.has(point)) requested_.push_back({point, std::move(key), plan_.label_of(values)});
  }
  plan_hash_ = text_hash(all);
}

void Sweep::report_changes(const SweepFile& file) const {
  std::map<std::string, std::string> before;  // key by label
  for (RequestedPoint& each : file.requested()) before[each.label] = std::move(each.key);
  if (before.empty()) return;
  std::vector<std::string> added, gone;
  std::size_t changed = 0;
  for (const RequestedPoint& each : requested_) {
    const auto found = before.find(each.label);
    if (found == before.end()) {
      added.push_back(each.label);
    } else {
      if (found->second != each.key) ++changed;
      before.erase(found);
    }
  }
  for (const auto& [label, key] : before) gone.push_back(label);
  if (added.size() == requested_.size())
    throw UsageError(
        fmt::format("{} has the results of another plan, of which no point is "
                    "requested: name another file with --results",
                    quote(file.path())));
  const auto print = [](std::size_t count, const std::string& what,
                        const std::vector<std::string>& labels) {
    constexpr std::size_t most = 5;
    if (count == 0) return;
    std::cerr << fmt::format("kernbench: {} {} {}", count, count == 1 ? "point" : "points", what);
    for (std::size_t i = 0; i < std::min(most, labels.size()); ++i)
      std::cerr << (i == 0 ? ": " : "; ") << labels[i];
    std::cerr << (labels.size() > most ? "; ..." : "") << '\n';
  };
  if (added.empty() && gone.empty() && changed == 0) return;
  std::cerr << fmt::format("kernbench: the plan or its files have changed since {} was written\n",
                           quote(file.path()));
  print(added.size(), "new", added);
  print(gone.size(), "no longer requested, left out of the results", gone);
  print(changed, "run again with other settings or files", {});
}

void Sweep::open(SweepFile& file, const Invocation& invocation) {
  report_changes(file);
  file.request(requested_);
  std::vector<std::string> axes;
  for (const PlanAxis& axis : plan_.axes) axes.push_back(setting_column(axis.name));
  Json derived = Json::object();
  for (const PlanExpression& each : plan_.derived) derived[each.name] = each.text;
  file.describe({{"version", version_with_commit()},
                 {"command_line", invocation.line()},
                 {"host", host_text()},
                 {"plan", plan_.text},
                 {"plan_path", plan_.path},
                 {"plan_hash", plan_hash_},
                 {"points", std::to_string(points_.size() - repeated_)},
                 {"shard", fmt::format("{}/{}", shard_.number, shard_.of)},
                 {"derived", json_text(derived)},
                 {"figures", figures_as_json(plan_.figures)}},
                axes);
  file.define_results({});
  const std::map<std::string, SweepFile::Stored> stored = file.stored();
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    const auto found = stored.find(requested_[i].key);
    const bool done =
        found != stored.end() && found->second.ok && found->second.version == version_with_commit();
    if (!done) pending_.push_back(i);
  }
  progress_.before = requested_.size() - pending_.size();
}

SweepRow Sweep::row_of(const RequestedPoint& point, const ProcessOutcome& outcome) const {
  SweepRow row;
  row.point = point.number;
  row.key = point.key;
  row.version = version_with_commit();
  const std::vector<std::string> values = points_.axis_values(point.number - 1);
  const std::vector<PlanValue> settings = plan_.settings_of(values);
  Invocation command{{"kernbench"}, {}};
  for (std::string& word : words_of_point(settings)) command.words.push_back(std::move(word));
  row.command = command.line();
  const auto add = [&row](const std::string& key, const std::string& value) {
    const std::optional<double> number = number_of(value);
    row.settings.emplace_back(setting_column(key), number ? Json(*number) : Json(value));
  };
  for (std::size_t i = 0; i < values.size(); ++i) add(plan_.axes[i].name, values[i]);
  for (const PlanValue& each : settings) add(each.key, each.value);
  row.status = "failed";
  if (!outcome.value.empty()) {
    PointRunner::add_result(outcome.value, row);
  } else {
    row.message = outcome.fault;
  }
  std::string errors = outcome.errors;
  errors.erase(errors.find_last_not_of('\n') + 1);
  if (!errors.empty()) row.message += (row.message.empty() ? "" : "\n") + errors;
  row.summary.emplace_back("host.cpu_s", outcome.cpu_s);
  row.summary.emplace_back("host.peak_memory_bytes", outcome.peak_memory_bytes);
  return row;
}

void Sweep::run_points(SweepFile& file) {
  ProcessPool pool(options_.workers(), [&](std::uint64_t index) {
    file.release_in_child();
    return runner_.run(settings(requested_[index].number));
  });
  ProgressLine line;
  const Clock::time_point start = Clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (std::size_t next = 0;
       !Interrupt::requested() && (next < pending_.size() || !pool.empty());) {
    while (!pool.full() && next < pending_.size()) pool.start(pending_[next++]);
    constexpr int between_looks_ms = 200;
    if (const std::optional<ProcessOutcome> outcome = pool.wait(between_looks_ms)) {
      const SweepRow row = row_of(requested_[outcome->id], *outcome);
      const std::size_t columns = file.columns();
      file.store(row);
      if (file.columns() > columns) file.define_results(plan_.derived);  // for readers
      ++progress_.run;
      if (row.status != "ok") ++progress_.failed;
      progress_.cpu_s += outcome->cpu_s;
    }
    line.show_points(progress_.run, pending_.size(), progress_.failed, seconds());
  }
  progress_.wall_s = seconds();
}

int Sweep::run(const Invocation& invocation, const std::string& results) {
  const std::string csv = csv_next_to(results);
  check_result_files({{plan_.path, "the plan"}}, {results, csv});
  check();
  make_keys();
  SweepFile file(results);
  const Interrupt interrupt;
  open(file, invocation);
  if (repeated_ > 0)
    std::cerr << fmt::format("kernbench: {} point{} of the plan repeat{} others\n", repeated_,
                             repeated_ == 1 ? "" : "s", repeated_ == 1 ? "s" : "");
  run_points(file);
  progress_.interrupted = Interrupt::requested();
  const int status = conclude_sweep(file, requested_, plan_.derived, progress_, format());
  return std::max(status, options_.output.write(file, plan_, options_.json));
}

std::optional<int> Sweep::distribute(const Invocation& invocation, const std::string& results) {
  check_result_files({{plan_.path, "the plan"}}, {results, csv_next_to(results)});
  check();
  make_keys();
  SlurmSweep distributed{plan_hash_, results, points_.size(), {}, options_.jobs > 0};
  std::vector<std::string>& task = distributed.task;
  task = {std::filesystem::read_symlink("/proc/self/exe"), "sweep",
          std::filesystem::absolute(plan_.path), "--max-points",
          std::to_string(options_.max_points)};
  if (options_.jobs > 0) task.insert(task.end(), {"--jobs", std::to_string(options_.jobs)});
  if (!options_.max_memory.empty()) task.insert(task.end(), {"--max-memory", options_.max_memory});
  if (options_.varies_keys) {
    const std::vector<std::string> words = options_.sensitivity.words();
    task.insert(task.end(), words.begin(), words.end());
  }
  const int status = run_on_slurm(distributed, options_.slurm, invocation, format());
  if (!options_.output.is_requested() || !std::filesystem::exists(results)) return status;
  return std::max(status, options_.output.redraw(plan_, options_.json));
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
  options.output.check({{"--results", !options.results.empty()},
                        {"--shard", !options.shard.empty()},
                        {"--sensitivity", options.varies_keys},
                        {"--dry-run", options.dry_run}});
  const SweepShard shard = shard_of(options.shard);
  SweepPlan plan = load_plan(find_plan(options.plan), options_of_points());
  check_derived(plan);
  if (options.output.reuse) return options.output.redraw(plan, options.json);
  std::optional<Sensitivity> sensitivity;
  if (options.varies_keys) {
    plan = sensitivity.emplace(plan, options.sensitivity, options.max_points).plan();
  } else if (plan.axes.empty()) {
    throw UsageError(plan.path + ": the plan has no axes: it needs --sensitivity");
  }
  const SweepPoints points(plan, options.max_points);
  if (shard.share_of(points.size()) == 0)
    throw UsageError(
        fmt::format("--shard {}: the plan has {} points", options.shard, points.size()));
  if (options.dry_run) return print_points(plan, points, shard, options.format());
  options.output.create_folder();
  const std::string results = results_path(options, shard);
  Sweep run(options, plan, points, shard);
  const std::optional<int> status = options.on_slurm
                                        ? run.distribute(invocation, results)
                                        : std::optional<int>(run.run(invocation, results));
  if (!status) return exit_failed;
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
      "  kernbench sweep plan.yaml --sensitivity 'cube.links.*' 'cube.memory_map.*_bw_gbs' M\n"
      "  kernbench sweep plan.yaml --shard 1/8\n"
      "  kernbench sweep merge plan.*of8.sqlite --results plan.sqlite\n"
      "  kernbench sweep plan.yaml --slurm='--partition=long --cpus-per-task=4' --shards 16\n");
  invocation.on(command, [options, &command, &invocation] {
    options->varies_keys = command.count("--sensitivity") > 0;
    options->on_slurm = command.count("--slurm") > 0;
    if (!options->on_slurm && command.count("--shards") > 0)
      throw UsageError("sweep: --shards goes with --slurm; --shard I/N runs one of N");
    return sweep(*options, invocation);
  });
}
const CommandRegistration sweep_registration(
    85, "sweep", "Run a bench over the points of a plan, on all processors; resumable",
    declare_sweep);

}  // namespace
}  // namespace kernbench
