#include "platform/topology/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/base/errors.h"

namespace kernbench {

std::string_view name_of(EdgeKind kind) {
  constexpr std::array<std::string_view, 17> names{
      "pe_internal",         "pe_to_router",        "router_mesh", "router_to_hbm",
      "router_to_mcpu",      "router_to_sram",      "command",     "ucie_internal",
      "router_to_ucie_conn", "ucie_conn_to_router", "ucie_mesh",   "io_internal",
      "io_to_cube",          "cube_to_io",          "pcie",        "ual",
      "router_to_tlm"};
  return names[static_cast<std::size_t>(kind)];
}

Graph::Graph(std::shared_ptr<const MachineSpec> spec, CubeMesh mesh, std::vector<Node> nodes,
             std::vector<Edge> edges)
    : spec_(std::move(spec)), mesh_(std::move(mesh)), nodes_(std::move(nodes)),
      edges_(std::move(edges)), first_edge_(nodes_.size() + 1, 0) {
  for (const Edge& edge : edges_) ++first_edge_[edge.src + 1];
  for (std::size_t i = 1; i < first_edge_.size(); ++i) first_edge_[i] += first_edge_[i - 1];
}

std::optional<NodeId> Graph::find(std::string_view name) const {
  const auto found =
      std::lower_bound(nodes_.begin(), nodes_.end(), name,
                       [](const Node& node, std::string_view key) { return node.name < key; });
  if (found == nodes_.end() || found->name != name) return std::nullopt;
  return static_cast<NodeId>(found - nodes_.begin());
}

NodeId Graph::at(std::string_view name) const {
  const auto found = find(name);
  if (!found) throw RoutingError(fmt::format("no node '{}' in this machine", name));
  return *found;
}

const Edge* Graph::find_edge(NodeId src, NodeId dst) const {
  const auto [first, last] = out_edges(src);
  const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = edges_.begin() + static_cast<std::ptrdiff_t>(last);
  const auto found = std::lower_bound(begin, end, dst,
                                      [](const Edge& edge, NodeId key) { return edge.dst < key; });
  return found == end || found->dst != dst ? nullptr : &*found;
}

std::pair<NodeId, NodeId> Graph::with_prefix(std::string_view prefix) const {
  const auto first =
      std::lower_bound(nodes_.begin(), nodes_.end(), prefix,
                       [](const Node& node, std::string_view key) { return node.name < key; });
  const auto last = std::partition_point(first, nodes_.end(), [&](const Node& node) {
    return node.name.compare(0, prefix.size(), prefix) == 0;
  });
  return {static_cast<NodeId>(first - nodes_.begin()), static_cast<NodeId>(last - nodes_.begin())};
}

}  // namespace kernbench
