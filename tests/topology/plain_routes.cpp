#include "tests/topology/plain_routes.h"

#include <string>
#include <tuple>

#include "platform/topology/node_names.h"

namespace kernbench::test {
namespace {

std::uint32_t bits(std::initializer_list<EdgeKind> kinds) {
  std::uint32_t all = 0;
  for (const EdgeKind kind : kinds) all |= std::uint32_t{1} << static_cast<unsigned>(kind);
  return all;
}

const std::uint32_t io_border = bits({EdgeKind::io_to_cube, EdgeKind::cube_to_io});
const std::uint32_t ucie = io_border | bits({EdgeKind::ucie_internal, EdgeKind::router_to_ucie_conn,
                                             EdgeKind::ucie_conn_to_router, EdgeKind::ucie_mesh});

bool is_ucie(const Node& node) {
  return node.kind == Role::ucie_port || node.kind == Role::ucie_conn;
}

}  // namespace

PlainRoutes::PlainRoutes(const Graph& graph) : graph_(graph) {
  for (const Edge& edge : graph.edges())
    weights_um_.push_back((edge.routing_weight_mm * Rational(1000)).round_half_up());
}

SearchSpace PlainRoutes::whole(View view) const {
  SearchSpace space;
  space.last = static_cast<NodeId>(graph_.nodes().size());
  if (view == View::data) space.edge_kinds &= ~bits({EdgeKind::command});
  if (view == View::memory)
    space.edge_kinds &= ~bits({EdgeKind::pe_internal, EdgeKind::pe_to_router});
  if (view == View::local) space.edge_kinds &= ~ucie;
  return space;
}

SearchSpace PlainRoutes::confined(NodeId src, NodeId dst, View view) const {
  const Node& a = graph_.node(src);
  const Node& b = graph_.node(dst);
  SearchSpace space = whole(view);
  const SipSpec& sip = graph_.spec().sip;
  if (sip.cube_routes == CubeRoutes::x_first && a.at.cube >= 0)
    space.x_row = a.at.cube / sip.mesh_w;
  if (a.at.sip < 0 || a.at.sip != b.at.sip) return space;
  const bool in_cubes = a.at.cube >= 0 && b.at.cube >= 0;
  const bool same_cube = in_cubes && a.at.cube == b.at.cube;
  const std::string scope =
      same_cube ? node_names::cube(a.at.sip, a.at.cube) : node_names::sip(a.at.sip);
  std::tie(space.first, space.last) = graph_.with_prefix(scope + ".");
  if (in_cubes) space.edge_kinds &= ~io_border;
  if (same_cube && !is_ucie(a) && !is_ucie(b)) space.edge_kinds &= ~ucie;
  return space;
}

std::vector<NodeId> PlainRoutes::search(NodeId src, NodeId dst, const SearchSpace& space) {
  const bool by_name = graph_.spec().cube.lane_select == LaneSelect::first &&
                       (space.edge_kinds & bits({EdgeKind::ucie_internal})) != 0;
  auto& tree = trees_[{space, src}];
  if (!tree) {
    tree = std::make_unique<PathTree>(graph_, weights_um_, space, src,
                                      by_name ? PathOrder::by_name : PathOrder::by_hops);
  }
  return tree->path_to(dst);
}

std::vector<NodeId> PlainRoutes::path(NodeId src, NodeId dst, View view) {
  return search(src, dst, whole(view));
}

std::vector<NodeId> PlainRoutes::node_path(NodeId src, NodeId dst) {
  return search(src, dst, confined(src, dst, View::all));
}

std::vector<NodeId> PlainRoutes::memory_path(NodeId initiator, NodeId memory) {
  const Role from = graph_.node(initiator).kind;
  const bool host_side = from == Role::pcie_ep || from == Role::io_cpu || from == Role::m_cpu;
  const Node& target = graph_.node(memory);
  const bool in_pe = target.kind == Role::pe_tcm || (host_side && target.kind == Role::pe_dma);
  std::vector<NodeId> tail;
  NodeId end = memory;
  if (in_pe) {
    const Location& at = target.at;
    end = graph_.at(node_names::engine(at.sip, at.cube, at.pe, "pe_dma"));
    if (end != memory) tail = {memory};
    if (host_side) {
      tail.insert(tail.begin(), end);
      const MeshPoint router = graph_.mesh().pe[static_cast<std::size_t>(at.pe)];
      end = graph_.at(node_names::router(at.sip, at.cube, router.row, router.col));
    }
  }
  std::vector<NodeId> found =
      search(initiator, end, confined(initiator, end, host_side ? View::memory : View::data));
  if (!found.empty()) found.insert(found.end(), tail.begin(), tail.end());
  return found;
}

}  // namespace kernbench::test
