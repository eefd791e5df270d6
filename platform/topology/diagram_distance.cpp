#include "platform/topology/diagram_distance.h"

#include <queue>

namespace kernbench {
namespace {

Fs overhead_of(const Node& node) {
  const Attributes& attributes = node.attributes();
  return attributes.has("overhead_ns") ? ns_to_fs(attributes.decimal("overhead_ns")) : 0;
}

}  // namespace

std::vector<Fs> latencies_from(const Graph& graph, NodeId anchor,
                               const std::function<bool(const Edge&)>& admits) {
  using Reached = std::pair<Fs, NodeId>;
  std::vector<Fs> latency(graph.nodes().size(), never_fs);
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  latency[anchor] = 0;
  open.push({0, anchor});
  while (!open.empty()) {
    const auto [so_far, node] = open.top();
    open.pop();
    if (so_far > latency[node]) continue;
    const auto [first, last] = graph.out_edges(node);
    for (std::size_t i = first; i < last; ++i) {
      const Edge& edge = graph.edges()[i];
      if (!admits(edge)) continue;
      const Fs propagation = ns_to_fs(edge.distance_mm * graph.spec().system.ns_per_mm);
      const Fs there = so_far + propagation + overhead_of(graph.node(edge.dst));
      if (there >= latency[edge.dst]) continue;
      latency[edge.dst] = there;
      open.push({there, edge.dst});
    }
  }
  return latency;
}

}  // namespace kernbench
