#include "sc_main/list_signals.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/assembly/platform.h"
#include "platform/export/signal_list.h"
#include "platform/report/json_text.h"
#include "platform/report/table.h"
#include "platform/topology/build_graph.h"
#include "sc_main/command.h"

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

void print_json(const std::vector<SignalList>& lists) {
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

void print_markdown(const std::vector<SignalList>& lists) {
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

void print_text(const std::vector<SignalList>& lists) {
  for (const SignalList& list : lists) {
    std::cout << list.name << (list.description.empty() ? "" : ": ") << list.description << '\n';
    Table table({{"signal"}, {"type"}, {"unit"}, {"bits", Table::Align::right}, {"meaning"}});
    for (const SignalRow& row : list.signals)
      table.add({row.name, std::string(name_of(row.type)), row.unit, std::to_string(row.bits),
                 meaning_of(row)});
    if (!table.empty()) std::cout << table.text("  ");
    std::cout << '\n';
  }
}

}  // namespace

int list_signals(const MachineOptions& machine, const std::string& glob, ListFormat format) {
  const Catalogue catalogue = machine.load_catalogue();
  PlatformOptions options;
  options.tear_down = false;
  const auto platform = std::make_unique<Platform>(
      build_graph(machine.load_spec(catalogue.components)), catalogue.components, options);
  const std::vector<SignalList> lists = glob.empty()
                                            ? signals_by_kind(*platform, catalogue.components)
                                            : selected_signals(*platform, glob);
  if (format == ListFormat::json) print_json(lists);
  if (format == ListFormat::markdown) print_markdown(lists);
  if (format == ListFormat::text) print_text(lists);
  return exit_done;
}

}  // namespace kernbench
