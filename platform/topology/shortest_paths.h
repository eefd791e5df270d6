// Deterministic shortest paths from one source (spec 2.7).
//
// Paths are compared by (1) the sum of routing weights in integer micrometres, (2) the number of
// hops, (3) from the source on: where two paths first diverge, the one whose next edge is a mesh
// step along the row wins, then a mesh step along the column, then the smaller name. The third
// criterion is a total order on the paths that are equal under the first two, so the result does
// not depend on the algorithm; in an unobstructed mesh it is XY routing.
//
// PathOrder::by_name is the search of the Python system (ADR-0051 D4; lane_select `first`): nodes
// are expanded by (sum of weights, name), and among equal paths to a node the first found is kept.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

// Part of a graph that a search may use: edges whose kind bit is set, nodes in [first, last) and
// one more.
struct SearchSpace {
  std::uint32_t edge_kinds = ~std::uint32_t{0};  // bit i = EdgeKind i
  NodeId first = 0, last = 0;
  NodeId border = no_node;  // outside [first, last); no_node: none
  int x_row = -1;  // row of cubes in which alone ucie_mesh edges along x may be used; -1: any

  NodeId size() const { return last - first + (border == no_node ? 0 : 1); }
  bool contains(NodeId node) const {
    return (node >= first && node < last) || (node == border && node != no_node);
  }
  std::size_t index(NodeId node) const { return (node == border ? last : node) - first; }
  friend bool operator<(const SearchSpace& a, const SearchSpace& b) {
    return std::tie(a.edge_kinds, a.first, a.last, a.border, a.x_row) <
           std::tie(b.edge_kinds, b.first, b.last, b.border, b.x_row);
  }
};

enum class PathOrder : std::uint8_t { by_hops, by_name };

// Predecessor of every node on its best path; only for nodes of the search space.
class PathTree {
 public:
  PathTree(const Graph& graph, const std::vector<std::uint64_t>& weights_um,
           const SearchSpace& space, NodeId source, PathOrder order = PathOrder::by_hops);
  // Path from the source to `target`, both included; empty if there is no path.
  std::vector<NodeId> path_to(NodeId target) const;

 private:
  SearchSpace space_;
  NodeId source_;
  std::vector<NodeId> previous_;  // [space_.index(node)]
};

}  // namespace kernbench
