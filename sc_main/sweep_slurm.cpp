#include "sc_main/sweep_slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/json_text.h"
#include "platform/output/result_file.h"
#include "platform/report/option_values.h"
#include "sc_main/build_info.h"
#include "sc_main/interrupt.h"
#include "sc_main/progress_line.h"
#include "sc_main/slurm_job.h"
#include "sc_main/sweep_merge.h"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// Words at blanks; quotes keep blanks, as in a shell.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quotes = 0;
  for (const char c : text) {
    if (quotes == 0 && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quotes) {
      quotes = 0;
    } else if (quotes == 0 && (c == '\'' || c == '"')) {
      quotes = c;
    } else {
      words.back() += c;
    }
  }
  if (quotes != 0) throw UsageError(fmt::format("--slurm {}: a quote is not closed", quote(text)));
  return words;
}

bool have_ended(const std::vector<SlurmTask>& tasks) {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const SlurmTask& task) { return task.has_ended(); });
}

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line))
    if (!line.empty()) last = line;
  return last;
}

// Sweep on Slurm. Result files of shards are only read while no task runs: a database in WAL mode
// must not be open on two hosts.
class SlurmRun {
 public:
  SlurmRun(const SlurmSweep& sweep, const SlurmOptions& options, const Invocation& invocation)
      : sweep_(sweep), invocation_(invocation), arguments_(words_of(options.arguments)),
        shards_(std::min(options.shards, sweep.points)),
        base_(fs::absolute(fs::path(sweep.results).replace_extension("")).string()),
        record_(base_ + ".slurm.json") {}

  std::optional<int> run(SweepFormat format);

 private:
  struct Shard {
    bool is_of_plan = false;
    std::uint64_t requested = 0, finished = 0, ok = 0;
    bool is_complete() const { return is_of_plan && finished == requested; }
    bool is_done() const { return is_of_plan && ok == requested; }
  };

  std::string path_of(std::uint64_t shard) const {
    return fmt::format("{}.{}of{}{}", base_, shard, shards_, extension());
  }
  std::string extension() const { return fs::path(sweep_.results).extension().string(); }
  std::string log_of(std::uint64_t shard) const {
    return fmt::format("{}.slurm-{}.log", base_, shard);
  }
  // Points of this plan and version in the file of a shard; none if it is of a different one.
  Shard shard_of(std::uint64_t shard) const;
  std::vector<std::uint64_t> shards_not_done() const;

  // Whether tasks of the recorded job are pending or running; it is then the job to follow.
  bool attach();
  void submit(const std::vector<std::uint64_t>& shards);
  Json record_of(const std::string& job) const;
  std::string script() const;
  // Whether the job has ended; else an interrupt has arrived.
  bool follow();
  std::string state_text(const std::vector<SlurmTask>& tasks, double seconds) const;
  // Reports shards whose task has left points without a row; whether there is one.
  bool report_incomplete() const;
  std::vector<std::uint64_t> start_shards() const;  // those that have got points
  void remove_shard(std::uint64_t shard) const;
  void remove_files() const;  // removes what a merged job leaves

  const SlurmSweep& sweep_;
  const Invocation& invocation_;
  std::vector<std::string> arguments_;
  std::uint64_t shards_;
  std::string base_, record_;
  std::string job_;                           // job to follow; "": none
  std::map<std::uint64_t, SlurmTask> tasks_;  // last known state, by shard
};

SlurmRun::Shard SlurmRun::shard_of(std::uint64_t shard) const {
  if (!fs::exists(path_of(shard))) return {};
  const SweepContent content = read_sweep(path_of(shard));
  const auto is = [&content](const char* name, const std::string& value) {
    const auto found = content.facts.find(name);
    return found != content.facts.end() && found->second == value;
  };
  if (!is("plan_hash", sweep_.plan_hash) || !is("version", version_with_commit()) ||
      !is("shard", fmt::format("{}/{}", shard, shards_)))
    return {};
  return {true, content.requested.size(), content.finished, content.ok};
}

std::vector<std::uint64_t> SlurmRun::shards_not_done() const {
  std::vector<std::uint64_t> shards;
  for (std::uint64_t shard = 1; shard <= shards_; ++shard)
    if (!shard_of(shard).is_done()) shards.push_back(shard);
  return shards;
}

Json SlurmRun::record_of(const std::string& job) const {
  return {{"job", job},
          {"plan_hash", sweep_.plan_hash},
          {"shards", shards_},
          {"version", version_with_commit()}};
}

bool SlurmRun::attach() {
  std::ifstream file(record_);
  if (!file) return false;
  const Json record = Json::parse(file, nullptr, false);
  if (record.is_discarded() || !record.contains("job")) return false;
  const std::string job = record["job"];
  std::string fault;
  const auto tasks = tasks_of_job(job, fault);
  if (!tasks)
    throw Error(fmt::format("--slurm: job {} of {} may be running, and Slurm does not answer: {}",
                            job, quote(record_), fault));
  if (have_ended(*tasks)) return false;
  if (record != record_of(job))
    throw UsageError(
        fmt::format("--slurm: job {} writes the results of {}, and the plan, its files, the number "
                    "of shards or the version differ now: wait for its end, or cancel it with "
                    "scancel {}",
                    job, quote(sweep_.results), job));
  job_ = job;
  std::cerr << fmt::format("kernbench: job {} has been submitted before and is followed\n", job_);
  return true;
}

// The shell of a task: everything but the number of the shard is constant.
std::string SlurmRun::script() const {
  std::vector<std::string> words = sweep_.task;
  words.emplace_back("--results");
  words.push_back(base_);
  std::string text = "exec " + Invocation{words, {}}.line();
  text += fmt::format(".\"$SLURM_ARRAY_TASK_ID\"of{}{} --shard \"$SLURM_ARRAY_TASK_ID/{}\"",
                      shards_, extension(), shards_);
  return text + (sweep_.has_jobs ? "" : " -j \"${SLURM_CPUS_ON_NODE:-1}\"");
}

void SlurmRun::submit(const std::vector<std::uint64_t>& shards) {
  std::string log = fmt::format("{}.slurm-", base_);
  for (std::size_t at = 0; (at = log.find('%', at)) != std::string::npos; at += 2)
    log.insert(at, "%");
  std::vector<std::string> words{"sbatch", "--parsable",
                                 "--job-name=kernbench-" + fs::path(base_).filename().string(),
                                 "--output=" + log + "%a.log", "--open-mode=append"};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  words.push_back(fmt::format("--array={}", fmt::join(shards, ",")));
  words.push_back("--wrap=" + script());
  // Before the submission: a folder that cannot be written is refused.
  ResultFile record(record_);
  try {
    job_ = submit_job(words);
  } catch (...) {
    fs::remove(record_);
    throw;
  }
  record.out() << json_text(record_of(job_)) << '\n';
  record.close();
  std::cerr << fmt::format("kernbench: job {} has been submitted: {} of {} shards, logs {}\n", job_,
                           shards.size(), shards_, quote(base_ + ".slurm-*.log"));
}

std::string SlurmRun::state_text(const std::vector<SlurmTask>& tasks, double seconds) const {
  std::size_t pending = 0, active = 0;
  std::string reason;
  for (const SlurmTask& task : tasks) {
    if (task.is_pending()) {
      ++pending;
      reason = task.reason;
    } else if (!task.has_ended()) {
      ++active;
    }
  }
  const std::size_t of = tasks_.size(), ended = of - std::min(of, pending + active);
  std::string text =
      fmt::format("job {}: {} of {} shards have ended, {} run", job_, ended, of, active);
  if (pending > 0)
    text += fmt::format(", {} wait{}", pending, reason.empty() ? "" : " (" + reason + ")");
  if (ended > 0 && pending + active > 0)
    text += fmt::format(", about {:.0f} s left", seconds * static_cast<double>(pending + active) /
                                                     static_cast<double>(ended));
  return text;
}

bool SlurmRun::follow() {
  using std::chrono::milliseconds;
  ProgressLine line;
  const Clock::time_point start = Clock::now();
  milliseconds pause(500);
  constexpr milliseconds longest_pause(10'000), slice(100);
  for (;;) {
    std::string fault;
    const auto tasks = tasks_of_job(job_, fault);
    if (Interrupt::requested()) return false;
    if (tasks) {
      for (const SlurmTask& task : *tasks) tasks_[task.index] = task;
      if (have_ended(*tasks)) return true;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    line.show_state(tasks ? state_text(*tasks, seconds)
                          : fmt::format("job {}: Slurm does not answer: {}", job_, fault));
    for (milliseconds waited(0); waited < pause; waited += slice) {
      if (Interrupt::requested()) return false;
      std::this_thread::sleep_for(slice);
    }
    pause = std::min(pause * 3 / 2, longest_pause);
  }
}

bool SlurmRun::report_incomplete() const {
  std::uint64_t missing = 0, shards = 0;
  for (std::uint64_t number = 1; number <= shards_; ++number) {
    const Shard shard = shard_of(number);
    if (shard.is_complete()) continue;
    const std::uint64_t points = SweepShard{number, shards_}.share_of(sweep_.points);
    missing += points - shard.finished;
    ++shards;
    const auto task = tasks_.find(number);
    const std::string log = last_line_of(log_of(number));
    std::cerr << fmt::format("kernbench: shard {}/{}: {}, {} of {} points done{}\n", number,
                             shards_, task == tasks_.end() ? "ended" : task->second.end(),
                             shard.finished, points,
                             log.empty() ? "" : "; " + log_of(number) + ": " + log);
  }
  if (shards > 0)
    std::cerr << fmt::format(
        "kernbench: {} point{} of {} shard{} {} missing; the same command runs {}\n", missing,
        missing == 1 ? "" : "s", shards, shards == 1 ? "" : "s", missing == 1 ? "is" : "are",
        missing == 1 ? "it" : "them");
  return shards > 0;
}

std::optional<int> SlurmRun::run(SweepFormat format) {
  const Interrupt interrupt;
  if (!attach()) {
    const std::vector<std::uint64_t> started = start_shards();
    const std::vector<std::uint64_t> shards = shards_not_done();
    try {
      if (!shards.empty()) submit(shards);
    } catch (...) {
      for (const std::uint64_t shard : started) remove_shard(shard);
      throw;
    }
  }
  if (!job_.empty() && !follow()) {
    std::cerr << fmt::format(
        "kernbench: interrupted; job {} goes on: the same command follows it again, and scancel {} "
        "cancels it\n",
        job_, job_);
    return std::nullopt;
  }
  if (report_incomplete()) return std::nullopt;
  std::vector<std::string> shards;
  for (std::uint64_t shard = 1; shard <= shards_; ++shard) shards.push_back(path_of(shard));
  const int status = merge_shards(shards, sweep_.results, invocation_, format);
  remove_files();
  return status;
}

// Shards that have no file yet, and of which the results have points.
std::vector<std::uint64_t> SlurmRun::start_shards() const {
  std::vector<std::uint64_t> started;
  for (std::uint64_t shard = 1; sweep_.start_shard && shard <= shards_; ++shard) {
    if (fs::exists(path_of(shard))) continue;
    sweep_.start_shard({shard, shards_}, path_of(shard));
    if (fs::exists(path_of(shard))) started.push_back(shard);
  }
  return started;
}

void SlurmRun::remove_shard(std::uint64_t shard) const {
  std::error_code ignored;
  const std::string path = path_of(shard);
  for (const std::string& each : {path, path + "-wal", path + "-shm", csv_next_to(path)})
    fs::remove(each, ignored);
}

void SlurmRun::remove_files() const {
  std::error_code ignored;
  for (std::uint64_t shard = 1; shard <= shards_; ++shard) {
    remove_shard(shard);
    fs::remove(log_of(shard), ignored);
  }
  fs::remove(record_, ignored);
}

}  // namespace

void SlurmOptions::add_to(CLI::App& command) {
  command
      .add_option(
          "--slurm", arguments,
          "Run the points as a job array of Slurm, a shard per task, and merge the results; "
          "with arguments of sbatch: --slurm='--partition=long --time=2:00:00'")
      ->type_name("[=ARGS]")
      ->expected(0, 1);
  command.add_option("--shards", shards, "With --slurm: number of shards, at most one per point")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
}

std::optional<int> run_on_slurm(const SlurmSweep& sweep, const SlurmOptions& options,
                                const Invocation& invocation, SweepFormat format) {
  return SlurmRun(sweep, options, invocation).run(format);
}

}  // namespace kernbench
