#include "platform/topology/routing_regions.h"

#include <algorithm>
#include <cassert>

#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

// Nodes are sorted by name, and the names of a region start alike: it grows by one node at a time.
void extend(RoutingRegion& region, NodeId node) {
  if (region.first == region.last) region.first = region.last = node;
  assert(region.last == node);
  ++region.last;
}

// True if SIPs are joined at the border alone.
[[maybe_unused]] bool joins_sips(const Graph& graph, NodeId border) {
  return std::all_of(graph.edges().begin(), graph.edges().end(), [&](const Edge& edge) {
    return edge.src == border || edge.dst == border ||
           graph.node(edge.src).at.sip == graph.node(edge.dst).at.sip;
  });
}

}  // namespace

RoutingRegions::RoutingRegions(const Graph& graph)
    : graph_(graph), border_(graph.at(node_names::switch0)),
      sips_(static_cast<std::size_t>(graph.spec().system.sips.count) + 1),
      cubes_(sips_.size() - 1,
             std::vector<RoutingRegion>(static_cast<std::size_t>(graph.spec().sip.cubes()))) {
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const Location& at = graph.node(id).at;
    extend(sips_[static_cast<std::size_t>(at.sip + 1)], id);
    if (at.cube >= 0)
      extend(cubes_[static_cast<std::size_t>(at.sip)][static_cast<std::size_t>(at.cube)], id);
  }
  assert(joins_sips(graph, border_));
  sips_[0].shape = sips_[0].first;
  std::vector<const RoutingRegion*> shapes;
  for (std::size_t sip = 1; sip < sips_.size(); ++sip) find_shape(sips_[sip], shapes, false);
  shapes.clear();
  for (std::vector<RoutingRegion>& cubes : cubes_) {
    for (RoutingRegion& cube : cubes) find_shape(cube, shapes, true);
  }
}

void RoutingRegions::find_shape(RoutingRegion& region, std::vector<const RoutingRegion*>& shapes,
                                bool of_cubes) const {
  const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const RoutingRegion* shape) {
    return same_shape(*shape, region, of_cubes);
  });
  region.shape = found == shapes.end() ? region.first : (*found)->first;
  if (found == shapes.end()) shapes.push_back(&region);
}

// Compares all that a search reads of the nodes and edges of a region (shortest_paths.cpp). Ids
// within both regions compare alike, as they differ by a constant.
bool RoutingRegions::same_shape(const RoutingRegion& a, const RoutingRegion& b,
                                bool of_cubes) const {
  if (a.last - a.first != b.last - b.first) return false;
  for (NodeId i = 0; i < a.last - a.first; ++i) {
    const Location& at_a = graph_.node(a.first + i).at;
    const Location& at_b = graph_.node(b.first + i).at;
    if (at_a.row != at_b.row || (!of_cubes && at_a.cube != at_b.cube)) return false;
    if (!same_edges(a.first + i, a, b.first + i, b)) return false;
  }
  return of_cubes || same_edges(border_, a, border_, b);
}

// Edges from `a` and `b` to nodes of their regions and to the border.
bool RoutingRegions::same_edges(NodeId a, const RoutingRegion& of_a, NodeId b,
                                const RoutingRegion& of_b) const {
  auto [edge_a, last_a] = graph_.out_edges(a);
  auto [edge_b, last_b] = graph_.out_edges(b);
  const auto skip_others = [this](std::size_t& edge, std::size_t last,
                                  const RoutingRegion& region) {
    const auto counts = [&](NodeId node) { return region.contains(node) || node == border_; };
    while (edge < last && !counts(graph_.edges()[edge].dst)) ++edge;
  };
  for (;; ++edge_a, ++edge_b) {
    skip_others(edge_a, last_a, of_a);
    skip_others(edge_b, last_b, of_b);
    if (edge_a == last_a || edge_b == last_b) return edge_a == last_a && edge_b == last_b;
    const Edge& x = graph_.edges()[edge_a];
    const Edge& y = graph_.edges()[edge_b];
    const bool same_end = x.dst == border_ || y.dst == border_
                              ? x.dst == y.dst
                              : x.dst - of_a.first == y.dst - of_b.first;
    if (!same_end || x.kind != y.kind || x.routing_weight_mm != y.routing_weight_mm) return false;
  }
}

}  // namespace kernbench
