// `kernbench sweep merge`: joins the result files of the shards of a sweep.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/output/result_file.h"
#include "platform/sweep/sweep_file.h"
#include "sc_main/command.h"
#include "sc_main/sweep_merge.h"

namespace kernbench {
namespace {

struct MergeOptions {
  std::vector<std::string> shards;
  std::string results;
  bool json = false;
};

SweepShard shard_of(const SweepContent& content) {
  SweepShard shard{0, 0};
  const std::string text = fact_of(content.facts, "shard");
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos)
    shard = {std::stoull(text.substr(0, slash)), std::stoull(text.substr(slash + 1))};
  if (shard.number == 0 || shard.number > shard.of)
    throw UsageError(fmt::format("{} is not complete: the sweep that wrote it has not begun to run",
                                 quote(content.path)));
  return shard;
}

// Refuses shards that differ in what makes their points comparable.
void check_same(const SweepContent& first, const SweepContent& other) {
  if (fact_of(first.facts, "plan_hash") != fact_of(other.facts, "plan_hash") ||
      shard_of(first).of != shard_of(other).of)
    throw UsageError(
        fmt::format("{} is no shard of the sweep of {}: its plan, its files or the "
                    "number of shards differ",
                    quote(other.path), quote(first.path)));
  if (fact_of(first.facts, "version") != fact_of(other.facts, "version"))
    throw UsageError(fmt::format("{} is of {}, and {} of {}", quote(other.path),
                                 fact_of(other.facts, "version"), quote(first.path),
                                 fact_of(first.facts, "version")));
}

// Shards by number, each once and with all its points.
std::vector<SweepContent> read_shards(const std::vector<std::string>& paths) {
  std::map<std::uint64_t, SweepContent> by_number;
  for (const std::string& path : paths) {
    SweepContent content = read_sweep(path);
    const SweepShard shard = shard_of(content);
    if (!by_number.empty()) check_same(by_number.begin()->second, content);
    const auto other = by_number.find(shard.number);
    if (other != by_number.end())
      throw UsageError(fmt::format("{} and {} are both shard {}/{}", quote(other->second.path),
                                   quote(path), shard.number, shard.of));
    if (content.finished < content.requested.size())
      throw UsageError(fmt::format(
          "shard {}/{}, {}, has {} of {} points: run it again to complete it", shard.number,
          shard.of, quote(path), content.finished, content.requested.size()));
    by_number.emplace(shard.number, std::move(content));
  }
  std::string missing;
  const std::uint64_t of = shard_of(by_number.begin()->second).of;
  for (std::uint64_t i = 1; i <= of; ++i)
    if (by_number.count(i) == 0)
      missing += fmt::format("{}{}/{}", missing.empty() ? "" : ", ", i, of);
  if (!missing.empty()) throw UsageError(fmt::format("missing shards: {}", missing));
  std::vector<SweepContent> shards;
  for (auto& [number, content] : by_number) shards.push_back(std::move(content));
  return shards;
}

// File next to the results, with what SQLite writes next to it, until it is renamed.
struct TemporaryResults {
  explicit TemporaryResults(const std::string& results) : path(results + ".merging.sqlite") {
    remove();
    const std::ofstream file(path);
    if (!file)
      throw UsageError(fmt::format("cannot write {}: {}", quote(results), std::strerror(errno)));
  }
  ~TemporaryResults() { remove(); }
  TemporaryResults(const TemporaryResults&) = delete;
  TemporaryResults& operator=(const TemporaryResults&) = delete;
  void remove() const {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end, ignored);
  }

  std::string path;
};

std::vector<PlanExpression> derived_of(const SweepContent& content) {
  std::vector<PlanExpression> derived;
  const auto texts = nlohmann::ordered_json::parse(fact_of(content.facts, "derived"));
  for (const auto& [name, text] : texts.items())
    derived.push_back({name, text.get<std::string>(), {}});
  return derived;
}

}  // namespace

int merge_shards(const std::vector<std::string>& paths, const std::string& results,
                 const Invocation& invocation, SweepFormat format) {
  const std::string csv = csv_next_to(results);
  std::vector<FileInUse> inputs;
  for (const std::string& shard : paths) inputs.push_back({shard, "the shard"});
  check_result_files(inputs, {results, csv});
  const std::vector<SweepContent> shards = read_shards(paths);
  std::vector<RequestedPoint> requested;
  for (const SweepContent& shard : shards)
    requested.insert(requested.end(), shard.requested.begin(), shard.requested.end());
  std::sort(requested.begin(), requested.end(),
            [](const RequestedPoint& a, const RequestedPoint& b) { return a.number < b.number; });
  if (std::filesystem::exists(results)) {
    check_same_plan(results, SweepFile(results).requested(), labels_of(requested),
                    "name another file with --results");
  }
  // Written under another name: a file of that name is replaced by a complete one.
  const TemporaryResults temporary(results);
  try {
    SweepFile file(temporary.path);
    file.request(requested);
    SweepFacts facts = shards.front().facts;
    facts["shard"] = "1/1";
    facts["command_line"] = invocation.line();
    file.describe(facts, shards.front().axes);
    for (const SweepContent& shard : shards) file.store_all(shard.path);
    file.define_results(derived_of(shards.front()));
  } catch (const SQLite::Exception& error) {
    throw Error(fmt::format("cannot write {}: {}", quote(results), error.what()));
  }
  std::error_code error;
  std::filesystem::rename(temporary.path, results, error);
  if (error) throw Error(fmt::format("cannot write {}: {}", quote(results), error.message()));
  SweepFile file(results);
  SweepProgress progress;
  return conclude_sweep(file, requested, derived_of(shards.front()), progress, format);
}

namespace {

void declare_merge(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<MergeOptions>();
  command.add_option("shards", options->shards, "Result files of all shards")
      ->type_name("F.sqlite")
      ->required();
  command
      .add_option("--results", options->results,
                  "Result file of the whole sweep; an earlier one of the same plan is replaced")
      ->type_name("F.sqlite")
      ->required();
  command.add_flag("--json", options->json, "Print the summary as JSON");
  command.footer(
      "Examples:\n"
      "  kernbench sweep merge plan.*of8.sqlite --results plan.sqlite\n\n"
      "The result is that of the sweep without --shard, and can be resumed like it.\n");
  invocation.on(command, [options, &invocation] {
    return merge_shards(options->shards, options->results, invocation,
                        options->json ? SweepFormat::json : SweepFormat::text);
  });
}
const CommandRegistration merge_registration(86, "sweep merge",
                                             "Join the result files of the shards of a sweep",
                                             declare_merge);

}  // namespace
}  // namespace kernbench
