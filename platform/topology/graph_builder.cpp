#include "platform/topology/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/base/errors.h"

namespace kernbench {

std::size_t GraphBuilder::add(std::string name, Role kind, const ComponentSpec& component,
                              const PointMm& at, Location location) {
  Node node;
  node.name = std::move(name);
  node.kind = kind;
  node.x_mm = at.x;
  node.y_mm = at.y;
  node.at = location;
  const InstanceSpecs& instances = spec_->instances;
  const auto own = instances.empty() ? instances.end() : instances.find(node.name);
  node.component = own == instances.end() ? &component : own->second.get();
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

void GraphBuilder::connect(std::size_t src, std::size_t dst, EdgeKind kind, const Link& link) {
  edges_.push_back({static_cast<NodeId>(src), static_cast<NodeId>(dst), kind, link.bw_gbs,
                    link.distance_mm, link.routing_weight_mm.value_or(link.distance_mm)});
}

void GraphBuilder::connect_both(std::size_t a, std::size_t b, EdgeKind kind, const Link& link) {
  connect_both(a, b, kind, kind, link);
}

void GraphBuilder::connect_both(std::size_t a, std::size_t b, EdgeKind a_to_b, EdgeKind b_to_a,
                                const Link& link) {
  connect(a, b, a_to_b, link);
  connect(b, a, b_to_a, link);
}

std::size_t GraphBuilder::handle(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const Node& node) { return node.name == name; });
  if (found == nodes_.end()) throw RoutingError(fmt::format("no node '{}' in this machine", name));
  return static_cast<std::size_t>(found - nodes_.begin());
}

Graph GraphBuilder::finish(CubeMesh mesh) {
  std::vector<NodeId> order(nodes_.size());
  std::iota(order.begin(), order.end(), NodeId{0});
  std::sort(order.begin(), order.end(),
            [&](NodeId a, NodeId b) { return nodes_[a].name < nodes_[b].name; });
  std::vector<NodeId> id_of(nodes_.size());
  std::vector<Node> sorted;
  sorted.reserve(nodes_.size());
  for (const NodeId handle : order) {
    id_of[handle] = static_cast<NodeId>(sorted.size());
    sorted.push_back(std::move(nodes_[handle]));
  }
  for (Edge& edge : edges_) {
    edge.src = id_of[edge.src];
    edge.dst = id_of[edge.dst];
  }
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return a.src != b.src ? a.src < b.src : a.dst < b.dst;
  });
  return Graph(std::move(spec_), std::move(mesh), std::move(sorted), std::move(edges_));
}

}  // namespace kernbench
