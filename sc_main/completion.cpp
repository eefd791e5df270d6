#include "sc_main/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>

#include "platform/probe/probe_case.h"
#include "platform/rtl_compare/compared_device.h"
#include "platform/topology/build_graph.h"
#include "platform/traffic/traffic_generator.h"
#include "sc_main/catalogue.h"
#include "sc_main/component_template.h"
#include "sc_main/config_files.h"
#include "sc_main/kernel_references.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

using Words = std::vector<std::string>;

Words bench_names(const Catalogue& catalogue) {
  Words names;
  for (const Bench& bench : catalogue.benches.benches()) names.push_back(bench.name);
  return names;
}

// topology.tiny.yaml is called tiny, too.
Words topology_names(const Catalogue& /*catalogue*/) {
  Words names;
  const std::string family = "topology.", extension = ".yaml";
  for (const std::string& file : shipped_files("topology")) {
    const bool is_default = file.size() <= family.size() + extension.size();
    names.push_back(
        is_default ? file
                   : file.substr(family.size(), file.size() - family.size() - extension.size()));
  }
  return names;
}

Words probe_cases(const Catalogue& catalogue) {
  const MachineOptions defaults;
  const Graph graph = build_graph(defaults.load_spec(catalogue.components));
  Words names{"all"};
  for (const ProbeCase& each : probe_catalogue(graph)) names.push_back(each.name);
  return names;
}

Words validation_groups(const Catalogue& /*catalogue*/) {
  Words groups;
  for (const ValidationCase& each : all_references()) {
    if (std::find(groups.begin(), groups.end(), each.group) == groups.end())
      groups.push_back(each.group);
  }
  return groups;
}

Words traffic_patterns(const Catalogue& /*catalogue*/) {
  Words names;
  for (int pattern = 0; pattern <= static_cast<int>(TrafficPattern::closed_loop); ++pattern)
    names.emplace_back(name_of(static_cast<TrafficPattern>(pattern)));
  return names;
}

Words implementations_to_compare(const Catalogue& catalogue) {
  return comparable_implementations(catalogue.components);
}

Words component_kinds(const Catalogue& /*catalogue*/) {
  Words names;
  for (const ComponentTemplate& each : component_templates()) names.push_back(each.kind);
  return names;
}

// Those without an axis.
Words placements(const Catalogue& /*catalogue*/) {
  return {"replicate",   "partial",         "row_wise",
          "column_wise", "tiled_row_major", "tiled_column_major"};
}

// Values that the declaration of an option does not list.
Words values_of(const std::string& option, const Catalogue& catalogue) {
  static const std::map<std::string, std::function<Words(const Catalogue&)>> makers{
      {"--bench", bench_names},
      {"--topology", topology_names},
      {"--case", probe_cases},
      {"--group", validation_groups},
      {"--generate", traffic_patterns},
      {"--kind", component_kinds},
      {"--impl", implementations_to_compare},
      {"--cube", placements},
      {"--pe", placements},
      {"--device", [](const Catalogue&) {
         return Words{"sip:0", "all"};
       }}};
  const auto found = makers.find(option);
  return found == makers.end() ? Words() : found->second(catalogue);
}

Words split(const std::string& text, char separator) {
  Words parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

// As CLI11 shows them: "TEXT:{off,deferred,eager}".
Words listed_in(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  return open == std::string::npos || close == std::string::npos
             ? Words()
             : split(type.substr(open + 1, close - open - 1), ',');
}

// "F.yaml", "F.csv|.sqlite", "F".
bool is_file(const std::string& type) { return type == "F" || type.compare(0, 2, "F.") == 0; }

Words extensions_in(const std::string& type) {
  Words extensions;
  for (const std::string& part : type.size() > 2 ? split(type.substr(1), '|') : Words())
    extensions.push_back(part.substr(part.find('.') + 1));
  return extensions;
}

CompletedOption completed(const CLI::Option& option, const Catalogue& catalogue) {
  CompletedOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.description = option.get_description();
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) {
    if (type.compare(0, 2, "[=") == 0)
      result.names.push_back(result.names.back() + type.substr(1, type.size() - 2));
    return result;
  }
  result.value = result.names.back() == "--param" ? CompletedOption::Value::bench_parameter
                                                  : CompletedOption::Value::given;
  result.value_name = type.substr(0, type.find(':'));
  result.words = listed_in(type);
  if (result.words.empty()) result.words = values_of(result.names.back(), catalogue);
  result.files = is_file(type);
  result.extensions = extensions_in(type);
  result.repeatable = option.get_items_expected_max() > 1;
  return result;
}

void walk(const CLI::App& app, const std::string& path, const Catalogue& catalogue,
          std::vector<CompletedCommand>& commands) {
  CompletedCommand command;
  command.path = path;
  command.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) command.options.push_back(completed(*option, catalogue));
    if (!option->get_positional()) continue;
    command.files = option->get_name() == "FILE";
    command.words = listed_in(option->get_type_name());
  }
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : subcommands)
    command.subcommands.emplace_back(each->get_name(), each->get_description());
  commands.push_back(std::move(command));
  for (const CLI::App* each : subcommands)
    walk(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), catalogue,
         commands);
}

CompletedOption plain(const std::string& name, const std::string& description,
                      const std::string& value_name = "") {
  CompletedOption option;
  option.names = {name};
  option.description = description;
  option.value = value_name.empty() ? CompletedOption::Value::none : CompletedOption::Value::given;
  option.value_name = value_name;
  return option;
}

// What ./kernbench does itself (the script of that name).
std::vector<CompletedCommand> launcher_commands() {
  CompletedCommand test{
      "test", "Builds everything and runs the tests; arguments go to ctest", {}, {}, {}, false};
  test.options = {plain("-R", "Tests whose name matches", "REGEX"),
                  plain("-E", "All tests but those", "REGEX"),
                  plain("-j", "So many at once", "N"),
                  plain("-N", "Lists the tests"),
                  plain("-V", "Shows their output"),
                  plain("--rerun-failed", "Those that failed the last time")};
  CompletedCommand bench{
      "bench", "Measures the speed of simulation; arguments go to Google Benchmark", {}, {}, {},
      false};
  bench.options = {plain("--benchmark_filter", "Measurements whose name matches", "REGEX"),
                   plain("--rounds", "So often", "N")};
  return {test, bench};
}

std::vector<CompletedBench> completed_benches(const BenchRegistry& benches) {
  std::vector<CompletedBench> all;
  for (const Bench& bench : benches.benches()) {
    CompletedBench& completed = all.emplace_back();
    completed.name = bench.name;
    completed.index = static_cast<int>(all.size());
    for (const Parameter& parameter : bench.parameters)
      completed.parameters.emplace_back(parameter.name(), parameter.choices());
  }
  return all;
}

}  // namespace

CompletionModel completion_of(const CLI::App& app, const Catalogue& catalogue) {
  CompletionModel completion;
  walk(app, "", catalogue, completion.commands);
  for (CompletedCommand& command : launcher_commands()) {
    completion.commands.front().subcommands.emplace_back(command.path, command.description);
    completion.commands.push_back(std::move(command));
  }
  completion.benches = completed_benches(catalogue.benches);
  return completion;
}

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

}  // namespace kernbench
