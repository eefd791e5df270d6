// `kernbench topology`: compiles a topology and exports it.
#include <iostream>
#include <memory>

#include "platform/topology/build_graph.h"
#include "platform/topology/topology_json.h"
#include "sc_main/command.h"
#include "sc_main/machine_options.h"

namespace kernbench {

void add_topology_command(CLI::App& app, Invocation& invocation) {
  struct Options {
    MachineOptions machine;
    std::string format = "json";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("topology", "Compiles a topology and exports its nodes and edges");
  command
      ->add_option(
          "--format", options->format,
          "json: nodes with kind, place and every attribute; edges with kind, bandwidth and length")
      ->check(CLI::IsMember({"json"}))
      ->capture_default_str();
  options->machine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  kernbench topology --format json > machine.json\n"
      "  kernbench topology --topology tiny --set system.flit_bytes=128\n");
  command->callback([options, &invocation] {
    invocation.action = [options] {
      const Catalogue catalogue = options->machine.load_catalogue();
      const Graph graph = build_graph(options->machine.load_spec(catalogue.components));
      std::cout << topology_json(graph) << std::flush;
      return exit_done;
    };
  });
}

}  // namespace kernbench
