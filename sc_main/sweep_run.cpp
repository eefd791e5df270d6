#include "sc_main/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/output/result_file.h"
#include "platform/report/option_values.h"
#include "platform/sweep/text_hash.h"
#include "sc_main/build_info.h"
#include "sc_main/interrupt.h"
#include "sc_main/machine_options.h"
#include "sc_main/progress_line.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

std::uint64_t memory_of_worker(const SweepOptions& options) {
  const std::uint64_t bytes = memory_limit(options.max_memory);
  return options.max_memory.empty() ? std::max<std::uint64_t>(bytes / options.workers(), 1 << 20)
                                    : bytes;
}

constexpr const char* other_results = "name another file with --results";

// Whether a setting is a column of the results: that of --elaborate changes none of them.
bool changes_results(const PlanValue& setting) {
  return setting.kind != PlanKeyKind::option || setting.key != "elaborate";
}

// Whether a stored result of a point is kept.
bool is_done(const SweepFile::Stored& stored) {
  return stored.ok && stored.version == version_with_commit();
}

unsigned threads_of_worker(const SweepOptions& options) {
  return std::max(1U, std::thread::hardware_concurrency() / options.workers());
}

}  // namespace

unsigned SweepOptions::workers() const {
  return jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

SweepRun::SweepRun(const SweepOptions& options, const SweepPlan& plan, const SweepPoints& points,
                   const SweepShard& shard)
    : options_(options), plan_(plan), points_(points), shard_(shard),
      runner_(plan, {memory_of_worker(options), threads_of_worker(options)}) {}

void SweepRun::check() const {
  const std::string faults =  // after a blank, because an empty value is none
      value_of_process(plan_.path + ": the check of the plan",
                       [this] { return ' ' + runner_.faults(points_.axis_values(0)); });
  if (faults.size() > 1) throw UsageError(faults.substr(1));
}

// A point is identified by its command, the contents of the files that it reads, and the columns
// with keys.
void SweepRun::make_keys() {
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

void SweepRun::report_changes(const SweepFile& file) const {
  std::map<std::string, std::string> before;  // key by label
  check_same_plan(file.path(), file.requested(), labels_of(requested_), other_results);
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

void SweepRun::open(SweepFile& file, const Invocation& invocation) {
  report_changes(file);
  check_columns(file);
  file.request(requested_);
  file.describe(facts(shard_, invocation), axes());
  file.define_results({});
  const std::map<std::string, SweepFile::Stored> stored = file.stored();
  std::map<std::string, std::size_t> of_version;  // points of other versions
  for (std::size_t i = 0; i < requested_.size(); ++i) {
    const auto found = stored.find(requested_[i].key);
    if (found != stored.end() && is_done(found->second)) continue;
    if (found != stored.end() && found->second.ok) ++of_version[found->second.version];
    pending_.push_back(i);
  }
  for (const auto& [version, count] : of_version)
    std::cerr << fmt::format("kernbench: {} {} again: {} of {}, and this program is {}\n", count,
                             count == 1 ? "point runs" : "points run",
                             count == 1 ? "its result is" : "their results are", version,
                             version_with_commit());
  progress_.before = requested_.size() - pending_.size();
}

SweepFacts SweepRun::facts(const SweepShard& shard, const Invocation& invocation) const {
  return {{"version", version_with_commit()},
          {"command_line", invocation.line()},
          {"host", host_text()},
          {"title", plan_.title},
          {"question", plan_.question},
          {"plan", plan_.text},
          {"plan_path", plan_.path},
          {"plan_hash", plan_hash_},
          {"points", std::to_string(points_.size() - repeated_)},
          {"shard", fmt::format("{}/{}", shard.number, shard.of)},
          {"axis_keys", plan_.axis_keys_as_json()},
          {"derived", plan_.derived_as_json()},
          {"figures", figures_as_json(plan_.figures)}};
}

std::vector<std::string> SweepRun::axes() const {
  std::vector<std::string> axes;
  for (const PlanAxis& axis : plan_.axes) axes.push_back(setting_column(axis.name));
  return axes;
}

void SweepRun::check_columns(const SweepFile& file) const {
  if (file.count("ok") + file.count("until") == 0)
    return;  // the columns of the summary are unknown
  std::vector<std::string> all = file.columns(ColumnRole::summary);
  check_column_names(plan_, all);
  for (const ColumnRole role : {ColumnRole::axis, ColumnRole::setting})
    for (const std::string& name : file.columns(role)) all.push_back(name);
  if (options_.varies_keys) options_.sensitivity.check_column(plan_, all);
}

void SweepRun::check_columns(const SweepRow& row) const {
  if (row.status == "failed") return;
  std::vector<std::string> summary, all;
  for (const auto& [name, value] : row.summary) {
    if (name.compare(0, 5, "host.") != 0) summary.push_back(name);
    all.push_back(name);
  }
  check_column_names(plan_, summary);
  if (!options_.varies_keys) return;
  for (const auto& [name, value] : row.settings) all.push_back(name);
  options_.sensitivity.check_column(plan_, all);
}

SweepRow SweepRun::row_of(const RequestedPoint& point, const ProcessOutcome& outcome) const {
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
  for (const PlanValue& each : settings)
    if (changes_results(each)) add(each.key, each.value);
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

void SweepRun::run_points(SweepFile& file) {
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
      check_columns(row);
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

int SweepRun::run(const Invocation& invocation, const std::string& results) {
  const std::string csv = csv_next_to(results);
  check_result_files({{plan_.path, "the plan"}}, {results, csv});
  check();
  make_keys();
  return run_plan(invocation, results);
}

int SweepRun::run_plan(const Invocation& invocation, const std::string& results) {
  SweepFile file(results);
  const Interrupt interrupt;
  int status = exit_failed;
  try {
    run_into(file, invocation);
    status = conclude_sweep(file, requested_, plan_.derived, progress_, format());
  } catch (const SQLite::Exception& error) {
    throw Error(file.write_fault(error));
  }
  if (options_.on_slurm) return status;  // its page is that of the merge
  return std::max(status, options_.output.write(file, plan_, options_.json));
}

void SweepRun::run_into(SweepFile& file, const Invocation& invocation) {
  open(file, invocation);
  if (repeated_ > 0)
    std::cerr << fmt::format("kernbench: {} point{} of the plan repeat{} others\n", repeated_,
                             repeated_ == 1 ? "" : "s", repeated_ == 1 ? "s" : "");
  run_points(file);
  progress_.interrupted = Interrupt::requested();
}

std::set<std::string> SweepRun::done_in(const std::string& results) const {
  std::set<std::string> done;
  if (!std::filesystem::exists(results)) return done;
  const SweepFile file(results);
  check_same_plan(results, file.requested(), labels_of(requested_), other_results);
  const std::map<std::string, SweepFile::Stored> stored = file.stored();
  for (const RequestedPoint& each : requested_) {
    const auto found = stored.find(each.key);
    if (found != stored.end() && is_done(found->second)) done.insert(each.key);
  }
  return done;
}

// The file of a shard with the points that the results have, so that its task runs the others.
void SweepRun::start_shard(const SweepShard& shard, const std::string& path,
                           const std::string& results, const std::set<std::string>& done,
                           const Invocation& invocation) const {
  std::vector<RequestedPoint> requested;
  std::set<std::string> keys;
  for (const RequestedPoint& each : requested_) {
    if (!shard.has(each.number)) continue;
    requested.push_back(each);
    if (done.count(each.key) != 0) keys.insert(each.key);
  }
  if (keys.empty()) return;
  SweepFile file(path);
  for (const auto& [key, stored] : file.stored())
    if (is_done(stored)) keys.erase(key);
  file.request(requested);
  file.describe(facts(shard, invocation), axes());
  file.store_all(results, &keys);
  file.request(requested);  // numbers of this plan
  file.define_results({});
}

std::optional<int> SweepRun::distribute(const Invocation& invocation, const std::string& results) {
  check_result_files({{plan_.path, "the plan"}}, {results, csv_next_to(results)});
  check();
  make_keys();
  const std::set<std::string> done = done_in(results);
  if (done.size() == requested_.size()) return run_plan(invocation, results);
  SlurmSweep distributed{plan_hash_, results, points_.size(), {}, options_.jobs > 0, {}};
  if (!done.empty())
    distributed.start_shard = [&](const SweepShard& shard, const std::string& path) {
      start_shard(shard, path, results, done, invocation);
    };
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
  return run_on_slurm(distributed, options_.slurm, invocation, format());
}

}  // namespace kernbench
