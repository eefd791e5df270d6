#include "platform/topology/build_graph.h"

#include <stdexcept>

#include "models/base/errors.h"
#include "platform/topology/cube_mesh.h"
#include "platform/topology/graph_builder.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

constexpr std::size_t north = 0, south = 1, east = 2, west = 3;  // index in ucie_sides

std::vector<CubeHandles> add_cubes(GraphBuilder& builder, const CubeMesh& mesh, int sip) {
  const SipSpec& spec = builder.spec().sip;
  std::vector<CubeHandles> cubes;
  for (int cube = 0; cube < spec.cubes(); ++cube)
    cubes.push_back(add_cube(builder, mesh, sip, cube));
  const GraphBuilder::Link seam{spec.ucie_seam.bw_gbs, spec.ucie_seam.distance_mm, std::nullopt};
  for (int cube = 0; cube < spec.cubes(); ++cube) {
    const CubeHandles& here = cubes[static_cast<std::size_t>(cube)];
    const auto neighbour = [&](int index) -> const CubeHandles& {
      return cubes[static_cast<std::size_t>(index)];
    };
    if (cube % spec.mesh_w + 1 < spec.mesh_w) {
      builder.connect_both(here.ucie_port[east], neighbour(cube + 1).ucie_port[west],
                           EdgeKind::ucie_mesh, seam);
    }
    if (cube + spec.mesh_w < spec.cubes()) {
      builder.connect_both(here.ucie_port[south], neighbour(cube + spec.mesh_w).ucie_port[north],
                           EdgeKind::ucie_mesh, seam);
    }
  }
  return cubes;
}

EdgeKind kind_of_link(Role neighbour, EdgeKind in_a_cube) {
  if (neighbour == Role::router) return in_a_cube;
  return neighbour == Role::fabric_switch ? EdgeKind::pcie : EdgeKind::io_internal;
}

template <class Module>
void add_module(GraphBuilder& builder, const Module& module, Role role, EdgeKind in_a_cube) {
  const std::size_t attach = builder.handle(module.attach);
  const Node neighbour = builder.node(attach);
  Location here = neighbour.at;
  here.row = here.col = -1;
  const std::size_t node = builder.add(node_names::attached_to(module.attach, module.id), role,
                                       module.bridge, {neighbour.x_mm, neighbour.y_mm}, here);
  builder.connect_both(node, attach, kind_of_link(neighbour.kind, in_a_cube),
                       {module.link.bw_gbs, module.link.distance_mm, std::nullopt});
}

// Nodes of plain TLM-2.0 initiators and targets and their links (spec 2.1), after all nodes that
// they can be attached to.
void add_tlm_modules(GraphBuilder& builder) {
  const SystemSpec& system = builder.spec().system;
  for (const TlmInitiatorSpec& initiator : system.tlm_initiators)
    add_module(builder, initiator, Role::tlm_initiator, EdgeKind::pe_to_router);
  for (const TlmTargetSpec& target : system.tlm_targets)
    add_module(builder, target, Role::tlm_target, EdgeKind::router_to_tlm);
}

void add_machine(GraphBuilder& builder, const CubeMesh& mesh) {
  const MachineSpec* const spec = &builder.spec();
  const std::size_t switch0 = builder.add(std::string(node_names::switch0), Role::fabric_switch,
                                          spec->system.switch0, {}, {});
  const auto link_of = [](const LinkSpec& link) {
    return GraphBuilder::Link{link.bw_gbs, link.distance_mm, std::nullopt};
  };
  for (int sip = 0; sip < spec->system.sips.count; ++sip) {
    const std::vector<CubeHandles> cubes = add_cubes(builder, mesh, sip);
    for (std::size_t i = 0; i < spec->sip.io_chiplets.size(); ++i) {
      const IoChipletHandles chiplet =
          add_io_chiplet(builder, spec->sip.io_chiplets[i], static_cast<int>(i), sip, cubes);
      builder.connect_both(switch0, chiplet.pcie_ep, EdgeKind::pcie,
                           link_of(spec->system.io_ep_to_switch));
      if (chiplet.ual_ep)
        builder.connect_both(switch0, *chiplet.ual_ep, EdgeKind::ual,
                             link_of(spec->system.io_ual_to_switch));
    }
  }
  add_tlm_modules(builder);
}

Graph build(const std::shared_ptr<const MachineSpec>& spec) {
  CubeMesh mesh = generate_mesh(spec->cube);
  if (!spec->source_path.empty())
    keep_mesh_file(mesh_file_next_to(spec->source_path), spec->cube, mesh);
  GraphBuilder builder(spec);
  add_machine(builder, mesh);
  return builder.finish(std::move(mesh));
}

}  // namespace

std::vector<Node> nodes_of(const MachineSpec& machine) {
  const std::shared_ptr<const MachineSpec> not_owned(std::shared_ptr<const MachineSpec>(),
                                                     &machine);
  GraphBuilder builder(not_owned);
  add_machine(builder, generate_mesh(machine.cube));
  return std::move(builder).nodes();
}

Graph build_graph(MachineSpec machine) {
  const auto spec = std::make_shared<const MachineSpec>(std::move(machine));
  try {
    return build(spec);
  } catch (const std::overflow_error&) {
    throw ConfigError({{spec->source_path, 0, 0, "",
                        "the lengths of this machine have too many digits for its places to be "
                        "computed exactly"}});
  }
}

}  // namespace kernbench
