#include "platform/inspect/log_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/inspect/critical_path.h"

namespace kernbench {
namespace {

using Values = std::map<std::string, std::string>;

// "ccl-allreduce n_elem=0 dtype=f16": a value per word that has a '='; `prefix` before its key.
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

}  // namespace

LogComparison::LogComparison(LogPlayer& a, LogPlayer& b) : a_(a), b_(b) {
  if (a.bench() != b.bench()) {
    throw UsageError(
        fmt::format("logs of different benches cannot be compared: {} is of {}, {} of {}",
                    quote(a.path()), quote(a.bench()), quote(b.path()), quote(b.bench())));
  }
  compare_settings();
}

void LogComparison::close() {
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
    const CriticalPath path = critical_path(side.pes, longest_of(launches, side.log.path()));
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
}

void LogComparison::add_section(const char* what, const char* title, Quantities (*of)(Side& side)) {
  std::map<std::string, Row> by_name;
  for (const auto& [name, quantity] : of(a_)) by_name[name].a = quantity;
  for (const auto& [name, quantity] : of(b_)) by_name[name].b = quantity;
  Section section{what, title, {}};
  for (auto& [name, row] : by_name) {
    row.name = name;
    section.rows.push_back(std::move(row));
  }
  std::stable_sort(section.rows.begin(), section.rows.end(), [](const Row& left, const Row& right) {
    return left.difference() > right.difference();
  });
  sections_.push_back(std::move(section));
}

void LogComparison::compare_settings() {
  Values in_a = settings_of(a_.log), in_b = settings_of(b_.log);
  std::set<std::string> keys;
  for (const auto& [key, value] : in_a) keys.insert(key);
  for (const auto& [key, value] : in_b) keys.insert(key);
  for (const std::string& key : keys)
    if (in_a[key] != in_b[key]) settings_.push_back({key, in_a[key], in_b[key]});
}

Table LogComparison::settings() const {
  Table table("settings", {{"key", "setting"}, {"a", "a"}, {"b", "b"}});
  for (const Setting& setting : settings_) table.add({setting.key, setting.a, setting.b});
  return table;
}

namespace {

const std::vector<Table::Column> columns_of_times{
    {"name", "name"}, {"a_count", "a count"},     {"b_count", "b count"}, {"a_ns", "a"},
    {"b_ns", "b"},    {"difference_ns", "b - a"}, {"b_to_a", "b / a"}};

}  // namespace

Table::Row LogComparison::Row::cells() const {
  Cell ratio;
  if (a.time > 0) ratio = ShareCell{static_cast<double>(b.time) / static_cast<double>(a.time)};
  return {name,
          a.count,
          b.count,
          TimeCell{a.time},
          TimeCell{b.time},
          TimeDifferenceCell{a.time, b.time},
          ratio};
}

Table LogComparison::times() const {
  std::vector<Table::Column> columns = columns_of_times;
  columns.insert(columns.begin(), Table::Column("what", "what"));
  Table table("times", std::move(columns));
  for (const Section& section : sections_) {
    for (const Row& row : section.rows) {
      Table::Row cells = row.cells();
      cells.insert(cells.begin(), section.what);
      table.add(std::move(cells));
    }
  }
  return table;
}

std::string LogComparison::text(std::size_t most) const {
  std::string text = fmt::format("a  {}\nb  {}\n", a_.log.path(), b_.log.path());
  text += settings_.empty() ? "\nnothing that was set differs\n"
                            : "\nwhat was set differently\n" + settings().text("", most * 2);
  for (const Section& section : sections_) {
    Table table("times", columns_of_times);
    for (std::size_t i = 0; i < std::min(most, section.rows.size()); ++i)
      table.add(section.rows[i].cells());
    if (!table.empty()) text += fmt::format("\n{}\n{}", section.title, table.text());
  }
  return text;
}

nlohmann::ordered_json LogComparison::json() const {
  return {{"a", a_.log.path()},
          {"b", b_.log.path()},
          {"settings", settings().json()},
          {"times", times().json()}};
}

}  // namespace kernbench
