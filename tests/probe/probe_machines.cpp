#include "tests/probe/probe_machines.h"

#include <fmt/format.h>

#include "platform/assembly/builtin_components.h"

namespace kernbench::test {

const ComponentRegistry& builtin_registry() {
  static const ComponentRegistry registry = [] {
    ComponentRegistry made;
    register_builtin_components(made);
    return made;
  }();
  return registry;
}

Graph machine_graph(const std::string& topology, const std::vector<Override>& overrides) {
  MachineSpec spec = load_machine(std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + topology,
                                  overrides, builtin_registry());
  spec.source_path.clear();
  return build_graph(std::move(spec));
}

std::vector<Override> mesh_of_cubes(int w, int h, char side, int x, int y) {
  return {{"sip.cube_mesh.w", std::to_string(w)},
          {"sip.cube_mesh.h", std::to_string(h)},
          {"sip.io_chiplets.io0.side", std::string(1, side)},
          {"sip.io_chiplets.io0.cube_ports",
           fmt::format("[{{cube: {{xy: [{}, {}]}}, cube_side: {}, phy: P0, distance_mm: 2.0}}]", x,
                       y, side)}};
}

}  // namespace kernbench::test
