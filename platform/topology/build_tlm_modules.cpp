// The nodes of plain TLM-2.0 initiators and targets and their links (spec 2.1).
#include "platform/topology/graph_builder.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

EdgeKind kind_of_link(Role neighbour, EdgeKind in_a_cube) {
  if (neighbour == Role::router) return in_a_cube;
  return neighbour == Role::fabric_switch ? EdgeKind::pcie : EdgeKind::io_internal;
}

template <class Module>
void add(GraphBuilder& builder, const Module& module, Role role, EdgeKind in_a_cube) {
  const std::size_t attach = builder.handle(module.attach);
  const Node neighbour = builder.node(attach);
  Location here = neighbour.at;
  here.row = here.col = -1;
  const std::size_t node = builder.add(node_names::beside(module.attach, module.id), role,
                                       module.bridge, {neighbour.x_mm, neighbour.y_mm}, here);
  builder.connect_both(node, attach, kind_of_link(neighbour.kind, in_a_cube),
                       {module.link.bw_gbs, module.link.distance_mm, std::nullopt});
}

}  // namespace

void add_tlm_modules(GraphBuilder& builder) {
  const SystemSpec& system = builder.spec().system;
  for (const TlmInitiatorSpec& initiator : system.tlm_initiators)
    add(builder, initiator, Role::tlm_initiator, EdgeKind::pe_to_router);
  for (const TlmTargetSpec& target : system.tlm_targets)
    add(builder, target, Role::tlm_target, EdgeKind::router_to_tlm);
}

}  // namespace kernbench
