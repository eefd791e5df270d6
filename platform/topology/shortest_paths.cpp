#include "platform/topology/shortest_paths.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace kernbench {
namespace {

constexpr std::uint64_t unreached = ~std::uint64_t{0};

// 0: mesh step along the row, 1: mesh step along the column, 2: any other edge.
int step_class(const Graph& graph, const Edge& edge) {
  if (edge.kind != EdgeKind::router_mesh) return 2;
  return graph.node(edge.src).at.row == graph.node(edge.dst).at.row ? 0 : 1;
}

// One search; every array is indexed by space.index(node).
class Search {
 public:
  Search(const Graph& graph, const std::vector<std::uint64_t>& weights_um, const SearchSpace& space)
      : graph_(graph), weights_(weights_um), space_(space), distance_(space.size(), unreached),
        hops_(distance_.size(), 0) {}

  std::vector<NodeId> predecessors(NodeId source, PathOrder order) {
    if (order == PathOrder::by_name) return first_found(source);
    resolve(source);
    return choose(source);
  }

 private:
  std::size_t index(NodeId node) const { return space_.index(node); }

  template <class Visit>  // visit(edge index, Edge)
  void for_each_out_edge(NodeId node, Visit visit) const {
    const auto [first, last] = graph_.out_edges(node);
    for (std::size_t e = first; e < last; ++e) {
      const Edge& edge = graph_.edges()[e];
      const bool allowed = (space_.edge_kinds >> static_cast<unsigned>(edge.kind) & 1U) != 0;
      if (allowed && may_cross(edge) && space_.contains(edge.dst)) visit(e, edge);
    }
  }

  bool may_cross(const Edge& edge) const {
    if (space_.x_row < 0 || edge.kind != EdgeKind::ucie_mesh) return true;
    const int columns = graph_.spec().sip.mesh_w;
    const int from = graph_.node(edge.src).at.cube / columns;
    return from == space_.x_row || from != graph_.node(edge.dst).at.cube / columns;
  }

  // Dijkstra by (distance, id): ids compare like names.
  std::vector<NodeId> first_found(NodeId source) {
    using Entry = std::pair<std::uint64_t, NodeId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::vector<NodeId> previous(distance_.size(), no_node);
    previous[index(source)] = source;
    distance_[index(source)] = 0;
    open.emplace(0, source);
    while (!open.empty()) {
      const auto [distance, node] = open.top();
      open.pop();
      if (distance != distance_[index(node)]) continue;
      for_each_out_edge(node,
                        [&, distance = distance, node = node](std::size_t e, const Edge& edge) {
                          const std::size_t to = index(edge.dst);
                          if (distance + weights_[e] >= distance_[to]) return;
                          distance_[to] = distance + weights_[e];
                          previous[to] = node;
                          open.emplace(distance_[to], edge.dst);
                        });
    }
    return previous;
  }

  // Dijkstra: least (distance, hops) of every node.
  void resolve(NodeId source) {
    using Entry = std::tuple<std::uint64_t, std::uint32_t, NodeId>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    distance_[index(source)] = 0;
    open.emplace(0, 0, source);
    while (!open.empty()) {
      const auto [distance, hops, node] = open.top();
      open.pop();
      if (std::tie(distance, hops) != std::tie(distance_[index(node)], hops_[index(node)]))
        continue;
      for_each_out_edge(node,
                        [&, distance = distance, hops = hops](std::size_t e, const Edge& edge) {
                          const std::uint64_t reached = distance + weights_[e];
                          const std::uint32_t next_hops = hops + 1;
                          const std::size_t to = index(edge.dst);
                          if (std::tie(reached, next_hops) >= std::tie(distance_[to], hops_[to]))
                            return;
                          distance_[to] = reached;
                          hops_[to] = next_hops;
                          open.emplace(reached, next_hops, edge.dst);
                        });
    }
  }

  // Third criterion. The nodes of one hop count are ranked by their best paths. Equally long paths
  // to a common successor compare like the ranks of their last nodes, so ranks of one level follow
  // from those of the previous level.
  std::vector<NodeId> choose(NodeId source) const {
    std::vector<NodeId> previous(distance_.size(), no_node);
    previous[index(source)] = source;
    std::vector<NodeId> level{source};  // in rank order
    while (!level.empty()) {
      std::vector<NodeId> next;
      for (const NodeId node : level) {
        std::vector<std::pair<int, NodeId>> children;  // (step class, id): ids compare as names do
        for_each_out_edge(node, [&](std::size_t e, const Edge& edge) {
          const std::size_t to = index(edge.dst);
          const bool best = distance_[to] == distance_[index(node)] + weights_[e] &&
                            hops_[to] == hops_[index(node)] + 1;
          if (best && previous[to] == no_node)
            children.emplace_back(step_class(graph_, edge), edge.dst);
        });
        std::sort(children.begin(), children.end());
        for (const auto& child : children) {
          previous[index(child.second)] = node;  // first predecessor in rank order
          next.push_back(child.second);
        }
      }
      level = std::move(next);
    }
    return previous;
  }

  const Graph& graph_;
  const std::vector<std::uint64_t>& weights_;
  const SearchSpace& space_;
  std::vector<std::uint64_t> distance_;
  std::vector<std::uint32_t> hops_;
};

}  // namespace

PathTree::PathTree(const Graph& graph, const std::vector<std::uint64_t>& weights_um,
                   const SearchSpace& space, NodeId source, PathOrder order)
    : space_(space), source_(source),
      previous_(Search(graph, weights_um, space).predecessors(source, order)) {}

std::vector<NodeId> PathTree::path_to(NodeId target) const {
  std::vector<NodeId> path;
  if (!space_.contains(target) || previous_[space_.index(target)] == no_node) return path;
  for (NodeId node = target; node != source_; node = previous_[space_.index(node)])
    path.push_back(node);
  path.push_back(source_);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace kernbench
