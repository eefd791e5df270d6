#include "platform/topology/route_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "models/base/errors.h"
#include "platform/topology/node_names.h"

namespace kernbench {
namespace {

constexpr std::uint32_t bit(EdgeKind kind) {
  return std::uint32_t{1} << static_cast<unsigned>(kind);
}

constexpr std::uint32_t io_border = bit(EdgeKind::io_to_cube) | bit(EdgeKind::cube_to_io);
constexpr std::uint32_t ucie_kinds =
    bit(EdgeKind::ucie_internal) | bit(EdgeKind::router_to_ucie_conn) |
    bit(EdgeKind::ucie_conn_to_router) | bit(EdgeKind::ucie_mesh) | io_border;
constexpr std::uint32_t pe_kinds = bit(EdgeKind::pe_internal) | bit(EdgeKind::pe_to_router);

std::uint32_t edge_kinds(View view) {
  switch (view) {
    case View::all:
      return ~std::uint32_t{0};
    case View::data:
      return ~bit(EdgeKind::command);
    case View::memory:
      return ~pe_kinds;
    case View::local:
      return ~ucie_kinds;
  }
  return 0;
}

// Position of a node on the path of host messages to PEs; none if no such message starts or ends
// there.
std::optional<int> station_of(const Node& node) {
  switch (node.kind) {
    case Role::pcie_ep:
      return 0;
    case Role::io_cpu:
      return 1;
    case Role::m_cpu:
      return 2;
    case Role::pe_cpu:
    case Role::pe_mmu:
    case Role::pe_dma:
      return 3;
    default:
      return std::nullopt;
  }
}

bool is_ucie(const Node& node) {
  return node.kind == Role::ucie_port || node.kind == Role::ucie_conn;
}
bool is_host_side(const Node& node) {
  return node.kind == Role::pcie_ep || node.kind == Role::io_cpu || node.kind == Role::m_cpu;
}

}  // namespace

RouteFinder::RouteFinder(const Graph& graph) : graph_(graph), regions_(graph) {
  weights_um_.reserve(graph.edges().size());
  for (const Edge& edge : graph.edges())
    weights_um_.push_back((edge.routing_weight_mm * Rational(1000)).round_half_up());
}

RouteFinder::Scope RouteFinder::confined(NodeId src, NodeId dst, View view) const {
  const Node& a = graph_.node(src);
  const Node& b = graph_.node(dst);
  Scope scope{edge_kinds(view), -1, nullptr};
  const SipSpec& sip = graph_.spec().sip;
  if (sip.cube_routes == CubeRoutes::x_first && a.at.cube >= 0)
    scope.x_row = a.at.cube / sip.mesh_w;
  if (a.at.sip < 0 || a.at.sip != b.at.sip) return scope;
  const bool in_cubes = a.at.cube >= 0 && b.at.cube >= 0;
  const bool same_cube = in_cubes && a.at.cube == b.at.cube;
  // Between cubes the weights lead to the same paths in any machine of ordinary size; excluding
  // nodes guarantees them and speeds up the search. From an IO chiplet the weights would select a
  // path out through the PCIe switch and in through another chiplet nearer to the cube.
  scope.region = same_cube ? &regions_.cube_of(a.at) : &regions_.sip_of(a.at);
  if (in_cubes) scope.edge_kinds &= ~io_border;
  if (same_cube && !is_ucie(a) && !is_ucie(b)) scope.edge_kinds &= ~ucie_kinds;
  if (same_cube) scope.x_row = -1;  // no ucie_mesh edge is within a cube
  return scope;
}

// A path between SIPs passes the border once. In both orders the best path is then the best one to
// the border and the best one from there: its sums and its first difference from another path add
// up, or are in one of the two (spec 2.7).
std::vector<NodeId> RouteFinder::search(NodeId src, NodeId dst, const Scope& scope) const {
  if (scope.region != nullptr) return search_region(src, dst, scope, *scope.region, no_node);
  const RoutingRegion& from = regions_.sip_of(graph_.node(src).at);
  const RoutingRegion& to = regions_.sip_of(graph_.node(dst).at);
  const NodeId border = regions_.border();
  if (&from == &to) return search_region(src, dst, scope, from, border);
  std::vector<NodeId> path = search_region(src, border, scope, from, border);
  const std::vector<NodeId> rest = search_region(border, dst, scope, to, border);
  if (path.empty() || rest.empty()) return {};
  path.insert(path.end(), rest.begin() + 1, rest.end());
  return path;
}

// Best path within a region and the border, if that is not no_node.
std::vector<NodeId> RouteFinder::search_region(NodeId src, NodeId dst, const Scope& scope,
                                               const RoutingRegion& region, NodeId border) const {
  const NodeId offset = region.first - region.shape;
  SearchSpace space;
  space.edge_kinds = scope.edge_kinds;
  space.first = region.shape;
  space.last = region.last - offset;
  space.x_row = scope.x_row;
  if (!region.contains(border)) space.border = border;
  const auto in_shape = [&](NodeId node) { return node == space.border ? node : node - offset; };
  const bool first = graph_.spec().cube.lane_select == LaneSelect::first &&
                     (space.edge_kinds & bit(EdgeKind::ucie_internal)) != 0;
  auto& tree = trees_[{space, in_shape(src)}];
  if (!tree) {
    tree = std::make_unique<PathTree>(graph_, weights_um_, space, in_shape(src),
                                      first ? PathOrder::by_name : PathOrder::by_hops);
  }
  std::vector<NodeId> path = tree->path_to(in_shape(dst));
  for (NodeId& node : path) node += node == space.border ? 0 : offset;
  return path;
}

void RouteFinder::no_path(NodeId src, NodeId dst) const {
  throw RoutingError(
      fmt::format("no path from '{}' to '{}'", graph_.node(src).name, graph_.node(dst).name));
}

std::vector<NodeId> RouteFinder::path(NodeId src, NodeId dst, View view) const {
  std::vector<NodeId> found = search(src, dst, {edge_kinds(view), -1, nullptr});
  if (found.empty()) no_path(src, dst);
  return found;
}

std::vector<NodeId> RouteFinder::memory_path(NodeId initiator, NodeId memory) const {
  const Node& target = graph_.node(memory);
  const bool host_side = is_host_side(graph_.node(initiator));
  std::vector<NodeId> tail;  // path after the last router, for a target inside a PE
  NodeId end = memory;
  if (host_side && (target.kind == Role::pe_tcm || target.kind == Role::pe_dma)) {
    // Only path into a PE: its own pe_to_router edge, which the host's view omits for every other
    // PE.
    const NodeId dma =
        graph_.at(node_names::engine(target.at.sip, target.at.cube, target.at.pe, "pe_dma"));
    tail = {dma};
    if (memory != dma) tail.push_back(memory);
    const MeshPoint at = graph_.mesh().pe[static_cast<std::size_t>(target.at.pe)];
    end = graph_.at(node_names::router(target.at.sip, target.at.cube, at.row, at.col));
  } else if (target.kind == Role::pe_tcm) {
    // Path through its PE's DMA, even if their edge has a length and a detour through another
    // engine has none.
    end = graph_.at(node_names::engine(target.at.sip, target.at.cube, target.at.pe, "pe_dma"));
    tail = {memory};
  }
  std::vector<NodeId> found =
      search(initiator, end, confined(initiator, end, host_side ? View::memory : View::data));
  if (found.empty()) no_path(initiator, memory);
  found.insert(found.end(), tail.begin(), tail.end());
  return found;
}

std::vector<NodeId> RouteFinder::channel_path(NodeId initiator, NodeId hbm_ctrl,
                                              int channel) const {
  const Location& at = graph_.node(hbm_ctrl).at;
  const NodeId through = graph_.at(node_names::hbm_channel(at.sip, at.cube, at.pe, channel));
  std::vector<NodeId> path =
      memory_path(initiator, hbm_ctrl);  // the direct link has fewer hops, so it is the last step
  path.back() = through;
  path.push_back(hbm_ctrl);
  return path;
}

std::vector<NodeId> RouteFinder::node_path(NodeId src, NodeId dst) const {
  std::vector<NodeId> found = search(src, dst, confined(src, dst, View::all));
  if (found.empty()) no_path(src, dst);
  return found;
}

// Stations from the host's side of the two to the other, both included.
std::vector<NodeId> RouteFinder::stations(NodeId src, NodeId dst) const {
  const Node& a = graph_.node(src);
  const Node& b = graph_.node(dst);
  const std::optional<int> from = station_of(a), to = station_of(b);
  std::vector<NodeId> stations{src};
  if (from && to && a.at.sip == b.at.sip) {
    const std::string& chiplet =
        graph_.spec().sip.io_chiplets[static_cast<std::size_t>(std::max(a.at.io, 0))].id;
    if (*from < 1 && *to > 1)
      stations.push_back(graph_.at(node_names::io(a.at.sip, chiplet, "io_cpu")));
    if (*from < 2 && *to > 2) stations.push_back(graph_.at(node_names::m_cpu(b.at.sip, b.at.cube)));
  }
  stations.push_back(dst);
  return stations;
}

std::vector<NodeId> RouteFinder::message_path(NodeId src, NodeId dst) const {
  const std::optional<int> from = station_of(graph_.node(src)), to = station_of(graph_.node(dst));
  if (from && to && *from > *to + 1) return reversed(message_path(dst, src));
  const std::vector<NodeId> stops = stations(src, dst);
  std::vector<NodeId> path{src};
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const std::vector<NodeId> leg = node_path(stops[i], stops[i + 1]);
    path.insert(path.end(), leg.begin() + 1, leg.end());
  }
  return path;
}

std::vector<NodeId> RouteFinder::reversed(std::vector<NodeId> path) {
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace kernbench
