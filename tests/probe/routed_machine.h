// Machines of the shipped topologies with overrides, with their routes and without a simulation.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "platform/assembly/builtin_components.h"
#include "platform/assembly/describe_machine.h"
#include "platform/assembly/machine_routes.h"
#include "tests/support/shipped_graph.h"

namespace kernbench::test {

inline const ComponentRegistry& builtin_registry() {
  static const ComponentRegistry registry = [] {
    ComponentRegistry made;
    register_builtin_components(made);
    return made;
  }();
  return registry;
}

inline Graph machine_graph(const std::string& topology = "topology.yaml",
                           const std::vector<Override>& overrides = {}) {
  return shipped_graph(topology, overrides, builtin_registry());
}

// Overrides for a mesh of w x h cubes with one port, of the cube at (x, y), to io0 at that side.
inline std::vector<Override> mesh_of_cubes(int w, int h, char side = 'N', int x = 0, int y = 0) {
  return {{"sip.cube_mesh.w", std::to_string(w)},
          {"sip.cube_mesh.h", std::to_string(h)},
          {"sip.io_chiplets.io0.side", std::string(1, side)},
          {"sip.io_chiplets.io0.cube_ports",
           fmt::format("[{{cube: {{xy: [{}, {}]}}, cube_side: {}, phy: P0, distance_mm: 2.0}}]", x,
                       y, side)}};
}

struct RoutedMachine {
  explicit RoutedMachine(const std::string& topology = "topology.yaml",
                         const std::vector<Override>& overrides = {})
      : graph(machine_graph(topology, overrides)), machine(describe_machine(graph)), edges(graph),
        routes(graph, edges) {}
  const Path& path(const std::string& from, const std::string& to) {
    return routes.memory_path(graph.at(from), graph.at(to));
  }

  Graph graph;
  MachineDescription machine;
  FabricEdges edges;
  MachineRoutes routes;
};

}  // namespace kernbench::test
