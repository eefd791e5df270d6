// `kernbench list signals`: trace signals of a machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/export/signal_list.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/output/text_layout.h"
#include "platform/topology/build_graph.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

using Json = nlohmann::ordered_json;

std::string meaning_of(const SignalRow& row) {
  std::string text = row.meaning;
  if (!row.labels.empty()) text += fmt::format(": {}", fmt::join(row.labels, ", "));
  if (row.when_used) text += " (when used)";
  return text;
}

Json json_of(const SignalRow& row) {
  Json entry;
  entry["name"] = row.name;
  entry["type"] = name_of(row.type);
  entry["unit"] = row.unit;
  entry["bits"] = row.bits;
  entry["meaning"] = row.meaning;
  entry["labels"] = row.labels;
  entry["when_used"] = row.when_used;
  return entry;
}

void print_signals_json(const std::vector<SignalList>& lists) {
  auto json = Json::array();
  for (const SignalList& list : lists) {
    Json entry;
    entry["name"] = list.name;
    entry["description"] = list.description;
    entry["signals"] = Json::array();
    for (const SignalRow& row : list.signals) entry["signals"].push_back(json_of(row));
    json.push_back(std::move(entry));
  }
  std::cout << json_text(json, 2) << '\n';
}

void print_signals_markdown(const std::vector<SignalList>& lists) {
  for (const SignalList& list : lists) {
    std::cout << "## `" << list.name << "`\n\n";
    if (!list.description.empty()) std::cout << list.description << "\n\n";
    std::cout << "| signal | type | unit | bits | shows |\n|---|---|---|---|---|\n";
    for (const SignalRow& row : list.signals)
      std::cout << fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, name_of(row.type),
                               row.unit, row.bits, meaning_of(row));
    std::cout << '\n';
  }
}

void print_signals_text(const std::vector<SignalList>& lists) {
  for (const SignalList& list : lists) {
    std::cout << fitted(list.name + (list.description.empty() ? "" : ": ") + list.description, 4)
              << '\n';
    Table table({{"signal"}, {"type"}, {"unit"}, {"bits", Table::Align::right}, {"meaning"}});
    for (const SignalRow& row : list.signals)
      table.add({row.name, std::string(name_of(row.type)), row.unit, std::to_string(row.bits),
                 meaning_of(row)});
    if (!table.empty()) std::cout << table.text("  ");
    std::cout << '\n';
  }
}

struct ListSignalsOptions {
  MachineOptions machine;
  std::string glob;
  bool json = false, markdown = false;
};

int list_signals(const ListSignalsOptions& options) {
  const Catalogue catalogue = options.machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  const Platform platform(build_graph(options.machine.load_spec(catalogue.components)),
                          catalogue.components, platform_options);
  const std::vector<SignalList> lists = options.glob.empty()
                                            ? signals_by_kind(platform, catalogue.components)
                                            : selected_signals(platform, options.glob);
  (options.json       ? print_signals_json
   : options.markdown ? print_signals_markdown
                      : print_signals_text)(lists);
  return exit_done;
}

void declare_list_signals(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<ListSignalsOptions>();
  command.add_option("glob", options->glob,
                     "Only those that --trace-scope GLOB would select, by their full names");
  CLI::Option* json = command.add_flag("--json", options->json, "As JSON");
  command.add_flag("--markdown", options->markdown, "As Markdown")->excludes(json);
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench list signals                          by kind of component\n"
      "  kernbench list signals 'sip0.cube0.pe0.*'       of one PE\n"
      "  kernbench list signals '*.to_*_busy' --json     of every link\n"
      "  kernbench list signals --topology tiny --markdown\n");
  invocation.on(command, [options] { return list_signals(*options); });
}
const CommandRegistration list_signals_registration(
    24, "list signals", "Trace signals of a machine: what --trace can record; by kind of component",
    declare_list_signals);

}  // namespace
}  // namespace kernbench
