// `kernbench list statistics`: statistics of a machine, by kind of component, and those that
// --stats adds.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "platform/assembly/platform.h"
#include "platform/observe/component_statistics.h"
#include "platform/observe/object_tree.h"
#include "platform/observe/run_statistics.h"
#include "platform/output/json_text.h"
#include "platform/output/table.h"
#include "platform/topology/build_graph.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

// The components of an elaborated machine declare the statistics.
int list_statistics(const MachineOptions& machine, bool as_json) {
  const Catalogue catalogue = machine.load_catalogue();
  PlatformOptions platform_options;
  platform_options.tear_down = false;
  const Platform platform(build_graph(machine.load_spec(catalogue.components)),
                          catalogue.components, platform_options);
  const auto sections = statistics_catalogue(components_of(platform), kind_in(platform));
  if (as_json) {
    std::cout << json_text(catalogue_json(sections), 2) << '\n' << std::flush;
    return exit_done;
  }
  for (const StatisticsSection& section : sections) {
    std::cout << section.name << (section.of_components ? "" : "  (in --stats F.json)") << '\n';
    Table table({{"statistic"}, {"unit"}, {"over several"}, {"meaning"}});
    for (const StatisticDeclaration& statistic : section.statistics)
      table.add({statistic.key, statistic.unit, statistic.over_several, statistic.description});
    std::cout << table.text("  ") << '\n';
  }
  std::cout << std::flush;
  return exit_done;
}

void declare_list_statistics(CLI::App& command, Invocation& invocation) {
  struct Options {
    MachineOptions machine;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  command.add_flag("--json", options->json, "As JSON");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench list statistics --topology tiny\n"
      "  kernbench list statistics --json | jq -r '.pe_dma[].key'\n");
  invocation.on(command, [options] { return list_statistics(options->machine, options->json); });
}
const CommandRegistration list_statistics_registration(
    25, "list statistics", "Statistics that the components of a machine count, and --stats writes",
    declare_list_statistics);

}  // namespace
}  // namespace kernbench
