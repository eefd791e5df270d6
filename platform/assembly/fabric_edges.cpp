#include "platform/assembly/fabric_edges.h"

#include "models/timing/link_state.h"
#include "platform/config/pe_links.h"

namespace kernbench {
namespace {

EdgeBinding binding_of(const Graph& graph, const Edge& edge) {
  if (edge.kind != EdgeKind::pe_internal) return EdgeBinding::link;
  if (!carries_flits({graph.node(edge.src).kind, graph.node(edge.dst).kind}))
    return EdgeBinding::internal;
  return edge.distance_mm.is_zero() && (!edge.bw_gbs || edge.bw_gbs->is_zero())
             ? EdgeBinding::direct
             : EdgeBinding::link;
}

}  // namespace

FabricEdges::FabricEdges(const Graph& graph, const ElaboratedPart* part) : part_(part) {
  edges_.reserve(graph.edges().size());
  const Rational ns_per_mm = graph.spec().system.ns_per_mm;
  NodeId src = no_node;
  std::uint16_t port = 0;
  for (const kernbench::Edge& edge : graph.edges()) {  // sorted by (src, dst)
    if (edge.src != src) port = 0;
    src = edge.src;
    Edge& here = edges_.emplace_back();
    here.binding = binding_of(graph, edge);
    here.is_elaborated = part == nullptr || (part->has(edge.src) && part->has(edge.dst));
    if (here.binding == EdgeBinding::internal || !here.is_elaborated) continue;
    here.out_port = port++;
    here.bw_gbs = edge.bw_gbs.value_or(Rational());
    here.propagation_fs =
        here.binding == EdgeBinding::link ? propagation_fs(edge.distance_mm, ns_per_mm) : 0;
  }
}

}  // namespace kernbench
