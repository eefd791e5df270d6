// Rules that hold for any machine that the schema admits.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "platform/topology/diagram_files.h"
#include "platform/topology/node_names.h"
#include "platform/topology/route_finder.h"
#include "platform/topology/topology_json.h"
#include "tests/topology/machines.h"
#include "tests/topology/plain_routes.h"
#include "tests/topology/svg_file.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(random_machines)

namespace {

struct Shape {
  int sips, w, h, connections, io_connections, per_corner, width_tenths, height_tenths;
  bool second_chiplet;
};

std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.sips << " SIPs of " << s.w << "x" << s.h << ", " << s.connections << "/"
             << s.io_connections << " connections, " << s.per_corner << " PEs per corner, "
             << s.width_tenths << "x" << s.height_tenths << " mm/10, second chiplet "
             << s.second_chiplet;
}

// Big in one direction at a time: the cost of a sample stays small. At most 16 cubes (spec 3.1).
Shape any_shape() {
  Shape s{};
  s.w = *rc::gen::inRange(1, 17);
  s.h = *rc::gen::inRange(1, 16 / s.w + 1);
  s.sips = s.w * s.h > 8 ? *rc::gen::inRange(1, 3) : *rc::gen::inRange(1, 9);
  s.connections = *rc::gen::inRange(1, 9);
  s.io_connections = *rc::gen::inRange(1, 9);
  s.per_corner = *rc::gen::inRange(1, 5);
  s.width_tenths = *rc::gen::inRange(15 + 25 * (s.per_corner - 1), 300);
  s.height_tenths = *rc::gen::inRange(90, 300);
  s.second_chiplet = *rc::gen::arbitrary<bool>();
  return s;
}

std::string tenths(int value) {
  return std::to_string(value / 10) + "." + std::to_string(value % 10);
}

MachineSpec machine_of(const Shape& s) {
  const auto number = [](int value) { return std::to_string(value); };
  std::vector<Override> set{{"system.sips.count", number(s.sips)},
                            {"sip.cube_mesh.w", number(s.w)},
                            {"sip.cube_mesh.h", number(s.h)},
                            {"cube.ucie.n_connections", number(s.connections)},
                            {"sip.io_chiplets.io0.links.n_connections", number(s.io_connections)},
                            {"sip.io_chiplets.io0.cube_ports",
                             "[{cube: {xy: [0, 0]}, cube_side: N, phy: P0, distance_mm: 2.0}]"},
                            {"cube.pe_layout.pe_per_corner", number(s.per_corner)},
                            {"cube.memory_map.hbm_slices_per_cube", number(4 * s.per_corner)},
                            {"cube.memory_map.hbm_pseudo_channels", number(32 * s.per_corner)},
                            {"cube.geometry.cube_mm.w", tenths(s.width_tenths)},
                            {"cube.geometry.cube_mm.h", tenths(s.height_tenths)},
                            {"cube.placement.m_cpu.pos_mm", "[1.5, 5.5]"},
                            {"cube.placement.sram.pos_mm", "[1.5, 8.5]"}};
  MachineSpec spec = machine(set);
  if (s.second_chiplet) {
    IoChipletSpec second = spec.sip.io_chiplets[0];
    second.id = "io1";
    second.side = 'S';
    second.cube_ports = {{s.w - 1, s.h - 1, 'S', "P0", Rational(2)}};
    spec.sip.io_chiplets.push_back(second);
  }
  return spec;
}

// Nodes that can be reached from one, by plain breadth-first search over every edge but `command`.
std::vector<bool> reached_from(const Graph& graph, NodeId source) {
  std::vector<bool> seen(graph.nodes().size(), false);
  std::queue<NodeId> open;
  seen[source] = true;
  open.push(source);
  while (!open.empty()) {
    const auto [first, last] = graph.out_edges(open.front());
    open.pop();
    for (std::size_t e = first; e < last; ++e) {
      const Edge& edge = graph.edges()[e];
      if (edge.kind == EdgeKind::command || seen[edge.dst]) continue;
      seen[edge.dst] = true;
      open.push(edge.dst);
    }
  }
  return seen;
}

bool is_memory(const Node& node) {
  return node.kind == Role::hbm_ctrl || node.kind == Role::sram || node.kind == Role::pe_tcm;
}

}  // namespace

// Every edge has its opposite, so one node that reaches all memories and all DMAs shows that every
// DMA reaches every memory.
RC_BOOST_PROP(every_pe_has_a_path_to_every_memory, ()) {
  const Shape shape = any_shape();
  RC_LOG() << shape << std::endl;
  const Graph graph = build_graph(machine_of(shape));
  for (const Edge& edge : graph.edges()) RC_ASSERT(graph.find_edge(edge.dst, edge.src) != nullptr);
  const std::vector<bool> reached =
      reached_from(graph, graph.at(node_names::engine(0, 0, 0, "pe_dma")));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (is_memory(graph.node(id)) || graph.node(id).kind == Role::pe_dma) RC_ASSERT(reached[id]);
  }
  // And the router agrees, for pairs picked at random.
  const RouteFinder router(graph);
  const auto dma = [&] {
    return graph.at(node_names::engine(*rc::gen::inRange(0, shape.sips),
                                       *rc::gen::inRange(0, shape.w * shape.h),
                                       *rc::gen::inRange(0, 4 * shape.per_corner), "pe_dma"));
  };
  const NodeId from = dma();
  const Location& to = graph.node(dma()).at;
  for (const std::string& name :
       {node_names::hbm_ctrl(to.sip, to.cube, to.pe), node_names::sram(to.sip, to.cube),
        node_names::engine(to.sip, to.cube, to.pe, "pe_tcm")}) {
    const std::vector<NodeId> path = router.memory_path(from, graph.at(name));
    const bool same_sip = graph.node(from).at.sip == to.sip;
    const bool same_cube = same_sip && graph.node(from).at.cube == to.cube;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      RC_ASSERT(graph.find_edge(path[i], path[i + 1]) != nullptr);
    for (const NodeId id : path) {
      if (same_sip) RC_ASSERT(graph.node(id).at.cube >= 0);
      if (same_cube) RC_ASSERT(graph.node(id).kind != Role::ucie_conn);
    }
    RC_ASSERT(router.memory_path(graph.at("sip0.io0.pcie_ep"), graph.at(name)).size() > 2);
  }
}

namespace {

// One to four chiplets on any sides, each with one or two PHYs at any cubes of that side.
MachineSpec with_chiplets(const Shape& shape) {
  MachineSpec spec = machine_of(shape);
  spec.sip.io_chiplets.resize(1);
  const IoChipletSpec first = spec.sip.io_chiplets[0];
  const int count = *rc::gen::inRange(1, 5);
  const std::string sides = "NNSSEEWW";
  std::vector<int> order{0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    std::swap(order[i],
              order[i + static_cast<std::size_t>(*rc::gen::inRange(0, 8 - static_cast<int>(i)))]);
  std::set<std::tuple<int, int, char>> taken;
  spec.sip.io_chiplets.clear();
  for (int i = 0; i < count; ++i) {
    IoChipletSpec chiplet = first;
    chiplet.id = "io" + std::to_string(i);
    chiplet.side = sides[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    chiplet.cube_ports.clear();
    for (const char* phy : {"P0", "P1"}) {
      const bool along_row = chiplet.side == 'N' || chiplet.side == 'S';
      const int x = along_row             ? *rc::gen::inRange(0, shape.w)
                    : chiplet.side == 'W' ? 0
                                          : shape.w - 1;
      const int y =
          along_row ? (chiplet.side == 'N' ? 0 : shape.h - 1) : *rc::gen::inRange(0, shape.h);
      if (taken.insert({x, y, chiplet.side}).second)
        chiplet.cube_ports.push_back({x, y, chiplet.side, phy, Rational(2)});
    }
    if (chiplet.cube_ports.empty()) continue;
    spec.sip.io_chiplets.push_back(std::move(chiplet));
  }
  for (std::size_t i = 0; i < spec.sip.io_chiplets.size(); ++i)
    spec.sip.io_chiplets[i].id = "io" + std::to_string(i);
  return spec;
}

// Of a message on an idle machine: what it passes, and the ways between.
class Latencies {
 public:
  explicit Latencies(const Graph& graph) : graph_(graph) {}

  Rational of(const std::vector<NodeId>& path) const {
    Rational sum(0);
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      sum = sum + (i == 0 ? Rational(0) : overhead(path[i])) +
            way(*graph_.find_edge(path[i], path[i + 1]));
    return sum;
  }

  // The least of all paths that stay in the SIP and pass no other chiplet, by trying whatever is
  // nearest next.
  Rational least(NodeId from, NodeId to) const {
    const int sip = graph_.node(from).at.sip;
    std::map<NodeId, Rational> found;
    std::set<std::pair<Rational, NodeId>> open{{Rational(0), from}};
    while (!open.empty()) {
      const auto [time, node] = *open.begin();
      open.erase(open.begin());
      if (!found.emplace(node, time).second) continue;
      if (node == to) return time;
      const auto [first, last] = graph_.out_edges(node);
      for (std::size_t e = first; e < last; ++e) {
        const Edge& edge = graph_.edges()[e];
        const Location& there = graph_.node(edge.dst).at;
        const bool other_chiplet = there.io >= 0 && there.io != graph_.node(from).at.io;
        if (there.sip != sip || other_chiplet || found.count(edge.dst) != 0) continue;
        open.insert({time + (node == from ? Rational(0) : overhead(node)) + way(edge), edge.dst});
      }
    }
    return Rational(-1);
  }

 private:
  Rational overhead(NodeId node) const {
    const Attributes& attributes = graph_.node(node).attributes();
    return attributes.has("overhead_ns") ? attributes.decimal("overhead_ns") : Rational(0);
  }
  Rational way(const Edge& edge) const { return edge.distance_mm * graph_.spec().system.ns_per_mm; }

  const Graph& graph_;
};

}  // namespace

// ADR-0002 D2: however many chiplets there are, the host reaches each cube of a SIP by the way of
// least latency among those that stay in the SIP. Traffic between cubes passes no chiplet (spec
// 2.7), though a chiplet that is linked to both may be the faster way. Which connection of a UCIe
// side is taken follows from lengths alone, which may cost some routers more: in each cube less
// than a port of 8 ns, so that no way with fewer crossings has been left out.
RC_BOOST_PROP(the_host_takes_the_fastest_way_within_the_sip, ()) {
  Shape shape = any_shape();
  shape.sips = std::min(shape.sips, 2);
  const Graph graph = build_graph(with_chiplets(shape));
  RC_LOG() << shape << ", " << graph.spec().sip.io_chiplets.size() << " chiplets" << std::endl;
  const RouteFinder router(graph);
  const Latencies latencies(graph);
  const int sip = *rc::gen::inRange(0, shape.sips), cube = *rc::gen::inRange(0, shape.w * shape.h);
  const std::string io = "sip" + std::to_string(sip) + ".io0.";
  for (const auto& [from, to] : {std::pair(io + "io_cpu", node_names::m_cpu(sip, cube)),
                                 std::pair(io + "pcie_ep", node_names::hbm_ctrl(sip, cube, 0))}) {
    const NodeId source = graph.at(from), target = graph.at(to);
    const std::vector<NodeId> path = from == io + "pcie_ep" ? router.memory_path(source, target)
                                                            : router.node_path(source, target);
    for (const NodeId id : path) RC_ASSERT(graph.node(id).at.sip == sip);
    RC_LOG() << from << " to " << to << ": " << latencies.of(path).str() << " ns, least "
             << latencies.least(source, target).str() << std::endl;
    std::set<int> cubes;
    for (const NodeId id : path) cubes.insert(graph.node(id).at.cube);
    const Rational port(8);
    RC_ASSERT(latencies.of(path) < latencies.least(source, target) +
                                       port * Rational(static_cast<std::int64_t>(cubes.size())));
  }
}

RC_BOOST_PROP(routes_equal_those_of_a_search_of_the_whole_machine, ()) {
  Shape shape = any_shape();
  shape.sips = std::min(shape.sips, 3);
  MachineSpec spec = with_chiplets(shape);
  spec.sip.cube_routes = *rc::gen::element(CubeRoutes::shortest, CubeRoutes::x_first);
  spec.cube.lane_select = *rc::gen::element(LaneSelect::spread, LaneSelect::first);
  const Graph graph = build_graph(spec);
  RC_LOG() << shape << ", " << graph.spec().sip.io_chiplets.size() << " chiplets" << std::endl;
  const RouteFinder shared(graph);
  PlainRoutes plain(graph);
  const auto any = [&] { return *rc::gen::inRange<NodeId>(0, graph.nodes().size()); };
  for (int i = 0; i < 3; ++i) {
    const NodeId from = any();
    for (int j = 0; j < 5; ++j) {
      const NodeId to = any();
      RC_ASSERT(names(graph, shared.node_path(from, to)) ==
                names(graph, plain.node_path(from, to)));
      RC_ASSERT(names(graph, shared.path(from, to, View::all)) ==
                names(graph, plain.path(from, to, View::all)));
    }
  }
}

RC_BOOST_PROP(parts_attach_to_routers_outside_the_hbm_zone, ()) {
  const Shape shape = any_shape();
  const MachineSpec spec = machine_of(shape);
  const CubeMesh mesh = generate_mesh(spec.cube);
  RC_ASSERT(static_cast<int>(mesh.pe.size()) == 4 * shape.per_corner);
  for (const MeshPoint at : mesh.pe) RC_ASSERT(mesh.has_router(at));
  RC_ASSERT(mesh.has_router(mesh.m_cpu));
  RC_ASSERT(mesh.has_router(mesh.sram));
  for (const auto& side : mesh.ucie) {
    RC_ASSERT(static_cast<int>(side.size()) == shape.connections);
    for (const MeshPoint at : side) RC_ASSERT(mesh.has_router(at));
  }
  for (int col = 1; col < mesh.cols(); ++col) {
    const Rational gap = mesh.col_x_mm[static_cast<std::size_t>(col)] -
                         mesh.col_x_mm[static_cast<std::size_t>(col) - 1];
    RC_ASSERT(Rational(0) < gap);
    RC_ASSERT(gap <= Rational::fraction(3001, 1000));  // 3 mm, and a micrometre of rounding
  }
  for (int row = 1; row < mesh.rows(); ++row)
    RC_ASSERT(mesh.row_y_mm[static_cast<std::size_t>(row) - 1] <=
              mesh.row_y_mm[static_cast<std::size_t>(row)]);
}

RC_BOOST_PROP(views_have_every_block_and_link_once_and_nothing_overlaps, ()) {
  Shape shape = any_shape();
  shape.sips = std::min(shape.sips, 5);
  RC_LOG() << shape << std::endl;
  const Graph graph = build_graph(machine_of(shape));
  for (const DiagramLevel level : diagram_levels) {
    const Diagram view = make_diagram(graph, level);
    const SvgFile svg(diagram_svg(graph, view));
    RC_LOG() << name_of(level) << std::endl;
    RC_ASSERT(svg.block_ids.size() == view.blocks.size());
    RC_ASSERT(svg.link_ends.size() == view.links.size());
    RC_ASSERT(first_overlap(svg.blocks) == "");
    RC_ASSERT(first_overlap(svg.texts) == "");
  }
}

RC_BOOST_PROP(the_json_is_the_same_every_time, ()) {
  Shape shape = any_shape();
  shape.sips = 1;
  shape.w = shape.h = 2;
  const std::string once = topology_json(build_graph(machine_of(shape)));
  RC_ASSERT(once == topology_json(build_graph(machine_of(shape))));
  RC_ASSERT(once.find('/') == std::string::npos);  // every number is a decimal
}

BOOST_AUTO_TEST_SUITE_END()
