#include "platform/report/log_comparison.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/report/critical_path.h"
#include "platform/report/report.h"

namespace kernbench {
namespace {

using Values = std::map<std::string, std::string>;

// "ccl-allreduce n_elem=0 dtype=f16": a value per word with '='; `prefix` precedes its key.
void add_words(const std::string& words, const std::string& prefix, Values& values) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      values[prefix + word.substr(0, equals)] = word.substr(equals + 1);
  }
}

void add_leaves(const nlohmann::json& value, const std::string& path, Values& values) {
  if (!value.is_structured()) {
    values[path] = value.is_string() ? value.get<std::string>() : value.dump();
    return;
  }
  for (const auto& [key, member] : value.items())
    add_leaves(member, path.empty() ? key : path + '.' + key, values);
}

Values settings_of(const LogPlayer& log) {
  Values values;
  for (const char* fact : {"topology", "device", "seed", "data", "plug-ins", "program_version"})
    values[fact] = log.fact(fact);
  add_words(log.fact("bench"), "--param ", values);
  add_words(log.fact("ccl"), "ccl:", values);
  const auto configuration = nlohmann::json::parse(log.fact("configuration"), nullptr, false);
  if (!configuration.is_discarded()) add_leaves(configuration, "", values);
  return values;
}

const std::vector<Table::Column> columns_of_times{
    {"name", "name"}, {"a_count", "a count"},     {"b_count", "b count"}, {"a_ns", "a"},
    {"b_ns", "b"},    {"difference_ns", "b - a"}, {"b_to_a", "b / a"}};

}  // namespace

LogComparison::LogComparison(LogPlayer& a, LogPlayer& b) : a_(a), b_(b) {
  if (a.bench() != b.bench()) {
    throw UsageError(
        fmt::format("logs of different benches cannot be compared: {} is of {}, {} of {}",
                    quote(a.path()), quote(a.bench()), quote(b.path()), quote(b.bench())));
  }
}

void LogComparison::close() {
  if (!refusal().empty()) return;
  for (Side* side : {&a_, &b_}) side->pes.close(side->log.launches());
  add_section("launches", "launches by kernel, length", [](Side& side) {
    Quantities kernels;
    for (const LaunchRow& launch : side.log.launches()) {
      kernels[launch.kernel].time += launch.length();
      ++kernels[launch.kernel].count;
    }
    return kernels;
  });
  add_section("critical_path", "critical path of the longest launch", [](Side& side) {
    Quantities resources;
    const std::vector<LaunchRow>& launches = side.log.launches();
    if (launches.empty()) return resources;
    const CriticalPath path =
        critical_path(side.pes, longest_of(launches, side.log.path()), &side.transfers.by_end());
    for (const PathResource& each : path.resources())
      resources[each.resource] = {each.time, each.steps};
    return resources;
  });
  add_section("engines", "engines, busy time", [](Side& side) {
    Quantities engines;
    for (const EnginePart* part : side.statistics.engines())
      engines[part->engine + ' ' + part->part] = {part->total(), part->busy.size()};
    return engines;
  });
  add_section("operations", "operations", [](Side& side) {
    Quantities operations;
    for (const OperationGroup* group : side.statistics.groups())
      operations[group->engine + ' ' + group->name] = {group->total, group->count};
    return operations;
  });
  add_section("links", "links, busy while kernels ran; count: bytes", [](Side& side) {
    Quantities links;
    side.windows.for_each_used("pe", [&](const ServerRow& server, const ServerUseRow& use) {
      if (!server.src.empty()) links[server.src + " > " + server.dst] = {use.busy, use.bytes};
    });
    return links;
  });
}

void LogComparison::add_section(const char* what, const char* title, Quantities (*of)(Side& side)) {
  std::map<std::string, std::pair<Quantity, Quantity>> by_name;
  for (const auto& [name, quantity] : of(a_)) by_name[name].first = quantity;
  for (const auto& [name, quantity] : of(b_)) by_name[name].second = quantity;
  std::multimap<Fs, Table::Row, std::greater<>> by_difference;  // ties by name
  for (const auto& [name, both] : by_name) {
    const auto& [a, b] = both;
    Cell ratio;
    if (a.time > 0) ratio = ShareCell{static_cast<double>(b.time) / static_cast<double>(a.time)};
    by_difference.emplace(std::max(a.time, b.time) - std::min(a.time, b.time),
                          Table::Row{name, a.count, b.count, TimeCell{a.time}, TimeCell{b.time},
                                     TimeDifferenceCell{a.time, b.time}, ratio});
  }
  Section& section = sections_.emplace_back(Section{what, title, {}});
  for (auto& [difference, row] : by_difference) section.rows.push_back(std::move(row));
}

std::string LogComparison::refusal() const {
  std::string runs;
  for (const auto& [name, side] : {std::pair("a", &a_), std::pair("b", &b_)}) {
    if (!side->log.has_completed())
      runs += fmt::format("{}the run of {} has not completed ({})", runs.empty() ? "" : "; ", name,
                          side->log.status());
  }
  return runs;
}

Table LogComparison::settings() const {
  Table table("settings", {{"key", "setting"}, {"a", "a"}, {"b", "b"}});
  Values in_a = settings_of(a_.log), in_b = settings_of(b_.log);
  std::set<std::string> keys;
  for (const Values* values : {&in_a, &in_b})
    for (const auto& [key, value] : *values) keys.insert(key);
  for (const std::string& key : keys)
    if (in_a[key] != in_b[key]) table.add({key, in_a[key], in_b[key]});
  return table;
}

Table LogComparison::times() const {
  std::vector<Table::Column> columns = columns_of_times;
  columns.insert(columns.begin(), Table::Column("what", "what"));
  Table table("times", std::move(columns));
  for (const Section& section : sections_) {
    for (Table::Row row : section.rows) {
      row.insert(row.begin(), section.what);
      table.add(std::move(row));
    }
  }
  return table;
}

std::string LogComparison::text(std::size_t most) const {
  std::string text = fmt::format("a  {}\nb  {}\n", a_.log.path(), b_.log.path());
  const Table set = settings();
  text += set.empty() ? "\nall settings are equal\n"
                      : "\nsettings that differ\n" + set.text("", most * 2);
  if (!refusal().empty()) text += fmt::format("\ntimes are not compared: {}\n", refusal());
  for (const Section& section : sections_) {
    Table table("times", columns_of_times);
    for (const Table::Row& row : section.rows) table.add(row);
    if (!table.empty()) text += fmt::format("\n{}\n{}", section.title, table.text("", most));
  }
  return text;
}

nlohmann::ordered_json LogComparison::json() const {
  return {{"a", a_.log.path()},
          {"b", b_.log.path()},
          {"settings", settings().json()},
          {"not_compared",
           refusal().empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(refusal())},
          {"times", times().json()}};
}

// --- Report

namespace {

class ComparisonReport final : public Report {
 public:
  ComparisonReport(const ReportContext& context, const std::string& other)
      : rows_(context.rows.value_or(20)), other_(other), comparison_(*context.log, other_) {}
  void close(Fs /*end*/) override {
    other_.play();
    comparison_.close();
  }
  std::string text() override { return comparison_.text(rows_); }
  Json json() override { return comparison_.json(); }
  std::optional<Table> table() override { return comparison_.times(); }

 private:
  std::size_t rows_;
  LogPlayer other_;
  LogComparison comparison_;
};

struct ComparisonOptions final : ReportOptions {
  std::string other;

  std::unique_ptr<Report> make(const ReportContext& context) const override {
    return other.empty() ? nullptr : std::make_unique<ComparisonReport>(context, other);
  }
};

std::unique_ptr<ReportOptions> declare_comparison(CLI::App& command, unsigned /*source*/) {
  auto options = std::make_unique<ComparisonOptions>();
  command
      .add_option("--compare", options->other,
                  "Another log of the same bench: settings that differ, and the differences in "
                  "time")
      ->type_name("F.sqlite|.sqlite3|.db")
      ->group(report_group);
  return options;
}

const ReportRegistration comparison_registration({100, "comparison", ReportSource::log},
                                                 declare_comparison);

}  // namespace

}  // namespace kernbench
