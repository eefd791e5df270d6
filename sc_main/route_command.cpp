// `kernbench route`: path between two nodes, hop by hop, with the formula.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "models/base/errors.h"
#include "models/base/quote.h"
#include "platform/assembly/machine_routes.h"
#include "platform/config/nearest_name.h"
#include "platform/output/json_text.h"
#include "platform/output/text_layout.h"
#include "platform/probe/route_report.h"
#include "platform/topology/build_graph.h"
#include "sc_main/command.h"
#include "sc_main/completion.h"
#include "sc_main/machine_options.h"

namespace kernbench {
namespace {

struct RouteOptions {
  MachineOptions machine;
  std::string from, to;
  std::uint64_t bytes = 4096;
  bool json = false;
};

NodeId node_of(const Graph& graph, const std::string& name) {
  if (const auto node = graph.find(name)) return *node;
  std::vector<std::string> known;
  for (const Node& node : graph.nodes()) known.push_back(node.name);
  throw UsageError(
      fmt::format("there is no node {} in this machine{}", quote(name), did_you_mean(name, known)));
}

int show_route(const RouteOptions& options) {
  const Catalogue catalogue = options.machine.load_catalogue();
  const Graph graph = build_graph(options.machine.load_spec(catalogue.components));
  const NodeId from = node_of(graph, options.from);
  const NodeId to = node_of(graph, options.to);
  const FabricEdges edges(graph);
  MachineRoutes routes(graph, edges);
  const RouteReport report = route_report(graph, routes, from, to, options.bytes);
  std::cout << (options.json ? json_text(report.json, 2) + "\n" : fitted(report.text, 2));
  return exit_done;
}

Candidates node_candidates(const MachineOptions& machine) {
  const Graph graph = build_graph(machine.load_spec(machine.load_catalogue().components));
  Candidates candidates;
  for (const Node& node : graph.nodes()) candidates.push_back({node.name});
  return candidates;
}

void declare_route(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<RouteOptions>();
  const CompletionValues nodes = [options](const std::string&) {
    return node_candidates(options->machine);
  };
  completes(command
                .add_option("FROM", options->from,
                            "Name of a node; a pe_dma or pcie_ep starts memory traffic")
                ->required()
                ->type_name(""),
            nodes);
  completes(command
                .add_option("TO", options->to,
                            "Name of a node; an hbm_ctrl, sram, pe_tcm or tlm_target is a memory. "
                            "Other pairs: the path of a control message")
                ->required()
                ->type_name(""),
            nodes);
  command.add_option("--bytes", options->bytes, "Size of the message for the formula")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
      ->capture_default_str();
  command.add_flag("--json", options->json, "As JSON, units in the key names");
  options->machine.add_to(command);
  command.footer(
      "Examples:\n"
      "  kernbench route sip0.cube0.pe0.pe_dma sip0.cube0.hbm_ctrl.pe0\n"
      "  kernbench route sip0.io0.pcie_ep sip0.cube12.hbm_ctrl.pe0 --bytes 32768\n"
      "  kernbench route sip0.io0.io_cpu sip0.cube5.m_cpu --json\n"
      "  kernbench topology | jq -r '.nodes[].name'        the names of all nodes\n");
  invocation.on(command, [options] { return show_route(*options); });
}
const CommandRegistration route_registration(
    60, "route",
    "Show the path between two nodes: time per hop, narrowest link, and the formula for a message",
    declare_route);

}  // namespace
}  // namespace kernbench
