// The nodes of plain TLM-2.0 initiators and their links (spec 2.1).
#include "platform/topology/graph_builder.h"
#include "platform/topology/node_names.h"

namespace kernbench {

void add_tlm_initiators(GraphBuilder& builder) {
  for (const TlmInitiatorSpec& initiator : builder.spec().system.tlm_initiators) {
    const std::size_t attach = builder.handle(initiator.attach);
    const Node neighbour = builder.node(attach);
    Location here = neighbour.at;
    here.row = here.col = -1;
    const std::size_t node =
        builder.add(node_names::beside(initiator.attach, initiator.id), Role::tlm_initiator,
                    initiator.bridge, {neighbour.x_mm, neighbour.y_mm}, here);
    const EdgeKind kind =
        neighbour.kind == Role::router ? EdgeKind::pe_to_router : EdgeKind::io_internal;
    builder.connect_both(node, attach, kind,
                         {initiator.link.bw_gbs, initiator.link.distance_mm, std::nullopt});
  }
}

}  // namespace kernbench
