// Machines of the shipped topologies with overrides, with their routes and without a simulation.
#pragma once

#include <string>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/assembly/graph_machine_view.h"
#include "platform/assembly/machine_routes.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"

namespace kernbench::test {

const ComponentRegistry& builtin_registry();
// Leaves no cache file behind.
Graph machine_graph(const std::string& topology = "topology.yaml",
                    const std::vector<Override>& overrides = {});
// Overrides for a mesh of w x h cubes with one port, of the cube at (x, y), to io0 at that side.
std::vector<Override> mesh_of_cubes(int w, int h, char side = 'N', int x = 0, int y = 0);

struct RoutedMachine {
  explicit RoutedMachine(const std::string& topology = "topology.yaml",
                         const std::vector<Override>& overrides = {})
      : graph(machine_graph(topology, overrides)), view(graph), edges(graph), routes(graph, edges) {
  }
  const Path& path(const std::string& from, const std::string& to) {
    return routes.memory_path(graph.at(from), graph.at(to));
  }

  Graph graph;
  GraphMachineView view;
  FabricEdges edges;
  MachineRoutes routes;
};

}  // namespace kernbench::test
