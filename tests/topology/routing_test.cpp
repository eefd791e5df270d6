// Paths through the default machine (spec 2.7).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "models/base/errors.h"
#include "platform/topology/node_names.h"
#include "platform/topology/route_finder.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(routing_test)

namespace {

struct DefaultRoutes {
  static const Graph& machine() {
    static const Graph instance = graph();
    return instance;
  }
  static const RouteFinder& router() {
    static const RouteFinder instance(machine());
    return instance;
  }
  static std::vector<NodeId> memory(const std::string& from, const std::string& to) {
    return router().memory_path(machine().at(from), machine().at(to));
  }
  static std::vector<NodeId> control(const std::string& from, const std::string& to) {
    return router().node_path(machine().at(from), machine().at(to));
  }
  // Last parts of the names.
  static std::string brief(const std::vector<NodeId>& path) {
    std::string text;
    for (const NodeId id : path)
      text += (text.empty() ? "" : " ") +
              machine().node(id).name.substr(machine().node(id).name.rfind('.') + 1);
    return text;
  }
  static bool passes(const std::vector<NodeId>& path, Role kind) {
    return std::any_of(path.begin(), path.end(),
                       [&](NodeId id) { return machine().node(id).kind == kind; });
  }
  static std::string dma(int sip, int cube, int pe) {
    return node_names::engine(sip, cube, pe, "pe_dma");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(routing, DefaultRoutes)

BOOST_AUTO_TEST_CASE(local_hbm_is_behind_the_own_router) {
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube0.hbm_ctrl.pe0")) == "pe_dma r0c0 pe0");
}

// The example of ADR-0017 D7.
BOOST_AUTO_TEST_CASE(a_path_goes_along_the_row_before_the_column) {
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube0.hbm_ctrl.pe2")) ==
             "pe_dma r0c0 r0c1 r0c2 r0c3 r0c4 r1c4 pe2");
  BOOST_TEST(brief(memory(dma(0, 0, 2), "sip0.cube0.hbm_ctrl.pe0")) ==
             "pe_dma r1c4 r1c3 r1c2 r1c1 r1c0 r0c0 pe0");
}

// Along row 2 the zone blocks columns 2 and 3. Up is as far as 1.5 mm, down through row 4 is 1.5 +
// 3: up, as late as the row allows.
BOOST_AUTO_TEST_CASE(a_blocked_row_is_passed_around_the_hbm_zone) {
  BOOST_TEST(brief(control("sip0.cube0.r2c0", "sip0.cube0.r2c5")) ==
             "r2c0 r2c1 r1c1 r1c2 r1c3 r1c4 r1c5 r2c5");
  BOOST_TEST(brief(control("sip0.cube0.m_cpu", "sip0.cube0.pe7.pe_cpu")) ==
             "m_cpu r2c0 r2c1 r3c1 r4c1 r4c2 r4c3 r4c4 r4c5 r5c5 pe_cpu");
}

// Wherever row-first-then-column meets no missing router, the path is exactly that; elsewhere it is
// a shortest detour.
BOOST_AUTO_TEST_CASE(paths_in_a_cube_equal_xy_routing_where_the_straight_way_is_free) {
  const CubeMesh& mesh = machine().mesh();
  int free_pairs = 0;
  const auto walk = [&](MeshPoint from, MeshPoint to) -> std::vector<NodeId> {
    std::vector<NodeId> path;
    for (MeshPoint at = from;;) {
      if (!mesh.has_router(at)) return {};
      path.push_back(machine().at(node_names::router(0, 5, at.row, at.col)));
      if (at == to) return path;
      if (at.col != to.col)
        at.col += at.col < to.col ? 1 : -1;
      else
        at.row += at.row < to.row ? 1 : -1;
    }
  };
  for (int from = 0; from < 36; ++from) {
    for (int to = 0; to < 36; ++to) {
      const MeshPoint a{from / 6, from % 6}, b{to / 6, to % 6};
      if (!mesh.has_router(a) || !mesh.has_router(b)) continue;
      const std::vector<NodeId> xy = walk(a, b);
      const std::vector<NodeId> path =
          router().node_path(machine().at(node_names::router(0, 5, a.row, a.col)),
                             machine().at(node_names::router(0, 5, b.row, b.col)));
      if (!xy.empty()) {
        ++free_pairs;
        BOOST_TEST(names(machine(), path) == names(machine(), xy));
      } else {
        BOOST_TEST(path.size() >= 1U + static_cast<std::size_t>(std::abs(a.row - b.row) +
                                                                std::abs(a.col - b.col)));
      }
    }
  }
  // Of 32 x 32, blocked are: along the row, from the 8 routers next to the zone to the 20 on the
  // far side of its first column; along the column, between the 12 routers of rows 0 1 and the 4
  // below the zone, and back likewise: 160 + 48 + 48.
  BOOST_TEST(free_pairs == 1024 - 256);
}

// The written rule by another algorithm: lengths towards the target by relaxation, then from the
// source always the best step that still lies on a shortest path.
BOOST_AUTO_TEST_CASE(among_equal_paths_the_first_difference_decides_row_column_name) {
  using Length = std::pair<Rational, int>;  // mm, hops
  const Graph& graph = machine();
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{dma(0, 0, 0), "sip0.cube15.hbm_ctrl.pe7"},
                                                        {dma(0, 13, 6), "sip1.cube6.hbm_ctrl.pe1"},
                                                        {"sip0.io0.pcie_ep", "sip0.cube9.sram"},
                                                        {dma(0, 2, 3), "sip0.cube12.pe4.pe_tcm"}}) {
    const NodeId target = graph.at(to);
    std::map<NodeId, Length> length{{target, {0, 0}}};
    std::set<NodeId> changed{target};
    while (!changed.empty()) {
      const NodeId node = *changed.begin();
      changed.erase(changed.begin());
      const auto [first, last] = graph.out_edges(node);
      for (std::size_t e = first; e < last;
           ++e) {  // every edge has its opposite of the same weight
        const Edge& edge = graph.edges()[e];
        if (edge.kind == EdgeKind::command) continue;
        const Length via{length[node].first + edge.routing_weight_mm, length[node].second + 1};
        const auto known = length.find(edge.dst);
        if (known != length.end() && !(via < known->second)) continue;
        length[edge.dst] = via;
        changed.insert(edge.dst);
      }
    }
    std::vector<NodeId> expected{graph.at(from)};
    while (expected.back() != target) {
      const NodeId node = expected.back();
      const auto [first, last] = graph.out_edges(node);
      std::set<std::pair<int, std::string>> steps;
      for (std::size_t e = first; e < last; ++e) {
        const Edge& edge = graph.edges()[e];
        if (edge.kind == EdgeKind::command) continue;
        if (length[node] !=
            Length{length[edge.dst].first + edge.routing_weight_mm, length[edge.dst].second + 1})
          continue;
        const bool mesh = edge.kind == EdgeKind::router_mesh;
        const bool row = mesh && graph.node(edge.src).at.row == graph.node(edge.dst).at.row;
        steps.emplace(row ? 0 : mesh ? 1 : 2, graph.node(edge.dst).name);
      }
      expected.push_back(graph.at(steps.begin()->second));
    }
    BOOST_TEST(names(graph, memory(from, to)) == names(graph, expected));
  }
}

BOOST_AUTO_TEST_CASE(same_cube_traffic_never_uses_ucie) {
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      for (const std::string& target :
           {node_names::hbm_ctrl(0, 5, to), node_names::engine(0, 5, to, "pe_tcm"),
            node_names::sram(0, 5)}) {
        const auto path = memory(dma(0, 5, from), target);
        BOOST_TEST(!passes(path, Role::ucie_conn));
        for (const NodeId id : path) BOOST_TEST(machine().node(id).at.cube == 5);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(traffic_between_cubes_of_a_sip_never_uses_the_io_chiplet) {
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) {
      const NodeId src = machine().at(dma(1, from, from % 8));
      const NodeId dst = machine().at(node_names::hbm_ctrl(1, to, (from + to) % 8));
      const auto path = router().memory_path(src, dst);
      int seams = 0;
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        BOOST_REQUIRE(machine().node(path[i]).at.cube >= 0);
        seams += machine().find_edge(path[i], path[i + 1])->kind == EdgeKind::ucie_mesh ? 1 : 0;
      }
      BOOST_TEST(seams ==
                 std::abs(from % 4 - to % 4) + std::abs(from / 4 - to / 4));  // few crossings first
      if (from != to)
        BOOST_TEST((path == router().path(src, dst, View::data)));  // the weights alone say so
    }
  }
}

BOOST_AUTO_TEST_CASE(a_crossing_goes_through_conn_port_seam_port_conn) {
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube1.hbm_ctrl.pe0")) ==
             "pe_dma r0c0 r0c1 r0c2 r0c3 r0c4 r0c5 conn0 ucie-E ucie-W conn0 r0c0 pe0");
}

BOOST_AUTO_TEST_CASE(traffic_between_sips_goes_through_both_io_chiplets_and_the_switch) {
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip1.cube0.hbm_ctrl.pe0")) ==
             "pe_dma r0c0 conn0 ucie-N io_ucie-P0 conn0 io_noc pcie_ep switch0 pcie_ep io_noc "
             "conn0 io_ucie-P0 ucie-N conn0 r0c0 pe0");
}

BOOST_AUTO_TEST_CASE(host_memory_traffic_passes_neither_io_cpu_nor_m_cpu) {
  BOOST_TEST(brief(memory("sip0.io0.pcie_ep", "sip0.cube0.hbm_ctrl.pe0")) ==
             "pcie_ep io_noc conn0 io_ucie-P0 ucie-N conn0 r0c0 pe0");
  for (int cube = 0; cube < 16; ++cube) {
    const auto path = memory("sip0.io0.pcie_ep", node_names::hbm_ctrl(0, cube, 5));
    BOOST_TEST(!passes(path, Role::io_cpu));
    BOOST_TEST(!passes(path, Role::m_cpu));
    BOOST_TEST(!passes(path, Role::pe_dma));
  }
}

BOOST_AUTO_TEST_CASE(a_tcm_is_reached_through_its_dma) {
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube0.pe1.pe_tcm")) ==
             "pe_dma r0c0 r0c1 pe_dma pe_tcm");
  BOOST_TEST(brief(memory("sip0.io0.pcie_ep", "sip0.cube0.pe1.pe_tcm")) ==
             "pcie_ep io_noc conn0 io_ucie-P0 ucie-N conn1 r0c1 pe_dma pe_tcm");
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube0.pe0.pe_tcm")) == "pe_dma pe_tcm");
  BOOST_TEST(brief(memory(dma(0, 0, 0), "sip0.cube0.pe1.pe_dma")) ==
             "pe_dma r0c0 r0c1 pe_dma");  // IPCQ
  const auto far = brief(memory(dma(0, 0, 0), "sip1.cube9.pe6.pe_tcm"));
  BOOST_TEST(far.substr(far.size() - 18) == "r5c4 pe_dma pe_tcm");
}

// The way round by PE_FETCH_STORE would be shorter, but is no way of the fabric.
BOOST_AUTO_TEST_CASE(a_tcm_is_reached_through_its_dma_also_when_their_edge_has_a_length) {
  const Graph machine =
      graph({{"cube.pe_template.links.pe_dma_to_pe_tcm", "{bw_gbs: 512.0, distance_mm: 0.5}"}});
  const RouteFinder routes(machine);
  BOOST_TEST(names(machine, routes.memory_path(machine.at(dma(0, 0, 0)),
                                               machine.at("sip0.cube0.pe0.pe_tcm"))) ==
             "sip0.cube0.pe0.pe_dma>sip0.cube0.pe0.pe_tcm");
  BOOST_TEST(names(machine, routes.memory_path(machine.at(dma(0, 0, 1)),
                                               machine.at("sip0.cube0.pe0.pe_tcm"))) ==
             "sip0.cube0.pe1.pe_dma>sip0.cube0.r0c1>sip0.cube0.r0c0>sip0.cube0.pe0.pe_dma>sip0."
             "cube0.pe0.pe_tcm");
}

BOOST_AUTO_TEST_CASE(launches_go_through_io_cpu_m_cpu_and_pe_cpu) {
  BOOST_TEST(brief(control("sip0.io0.pcie_ep", "sip0.io0.io_cpu")) == "pcie_ep io_noc io_cpu");
  BOOST_TEST(brief(control("sip0.io0.io_cpu", "sip0.cube0.m_cpu")) ==
             "io_cpu io_noc conn0 io_ucie-P0 ucie-N conn0 r0c0 r1c0 r2c0 m_cpu");
  BOOST_TEST(brief(control("sip0.cube0.m_cpu", "sip0.cube0.pe0.pe_mmu")) ==
             "m_cpu r2c0 r1c0 r0c0 pe_mmu");
}

BOOST_AUTO_TEST_CASE(m_cpu_reaches_memory_without_entering_a_pe) {
  BOOST_TEST(brief(memory("sip0.cube0.m_cpu", "sip0.cube0.hbm_ctrl.pe0")) ==
             "m_cpu r2c0 r1c0 r0c0 pe0");
  BOOST_TEST(brief(memory("sip0.cube0.m_cpu", "sip0.cube0.sram")) == "m_cpu r2c0 r3c0 sram");
}

BOOST_AUTO_TEST_CASE(views_leave_out_their_edges) {
  const NodeId cpu = machine().at("sip0.cube0.pe0.pe_cpu");
  const NodeId dma0 = machine().at(dma(0, 0, 0));
  const NodeId m_cpu = machine().at("sip0.cube0.m_cpu");
  BOOST_TEST(brief(router().path(m_cpu, cpu, View::all)) == "m_cpu r2c0 r1c0 r0c0 pe_cpu");
  BOOST_TEST(brief(router().path(m_cpu, cpu, View::data)) ==
             "m_cpu r2c0 r1c0 r0c0 pe_dma pe_ipcq pe_cpu");  // without command
  BOOST_CHECK_THROW(router().path(dma0, machine().at("sip0.cube0.hbm_ctrl.pe0"), View::memory),
                    RoutingError);
  BOOST_CHECK_THROW(router().path(dma0, machine().at("sip0.cube1.hbm_ctrl.pe0"), View::local),
                    RoutingError);
}

BOOST_AUTO_TEST_CASE(a_missing_path_names_both_ends) {
  try {
    router().path(machine().at(dma(0, 0, 0)), machine().at("sip0.cube1.sram"), View::local);
    BOOST_FAIL("found");
  } catch (const RoutingError& error) {
    BOOST_TEST(error.what() ==
               std::string("no path from 'sip0.cube0.pe0.pe_dma' to 'sip0.cube1.sram'"));
  }
}

BOOST_AUTO_TEST_CASE(every_edge_of_a_path_exists_in_both_directions) {
  const auto path = memory(dma(0, 3, 1), "sip1.cube12.hbm_ctrl.pe6");
  const auto back = RouteFinder::reversed(path);
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    BOOST_TEST(machine().find_edge(path[i], path[i + 1]) != nullptr);
    BOOST_TEST(machine().find_edge(back[i], back[i + 1]) != nullptr);
  }
}

BOOST_AUTO_TEST_CASE(the_same_node_is_a_path_of_one) {
  BOOST_TEST(brief(control("sip0.cube0.sram", "sip0.cube0.sram")) == "sram");
}

BOOST_AUTO_TEST_CASE(ucie_nodes_of_the_own_cube_can_be_reached) {
  BOOST_TEST(brief(control("sip0.cube0.r0c0", "sip0.cube0.ucie-N")) == "r0c0 conn0 ucie-N");
}

BOOST_AUTO_TEST_CASE(a_channel_is_the_last_step_but_one) {
  const Graph channels = graph({{"cube.memory_map.hbm_mapping_mode", "one_to_one"}});
  const RouteFinder routes(channels);
  const NodeId dma0 = channels.at(dma(0, 0, 0));
  const NodeId hbm = channels.at("sip0.cube0.hbm_ctrl.pe1");
  BOOST_TEST(names(channels, routes.memory_path(dma0, hbm)) ==
             "sip0.cube0.pe0.pe_dma>sip0.cube0.r0c0>sip0.cube0.r0c1>sip0.cube0.hbm_ctrl.pe1");
  BOOST_TEST(names(channels, routes.channel_path(dma0, hbm, 5)) ==
             "sip0.cube0.pe0.pe_dma>sip0.cube0.r0c0>sip0.cube0.r0c1>sip0.cube0.pe1.ch5>sip0.cube0."
             "hbm_ctrl.pe1");
  BOOST_CHECK_THROW(routes.channel_path(dma0, hbm, 8), RoutingError);
}

// UCIe ports add no length: PE 0 reaches the east side by the port in the north, at length 0, where
// the row is 14 mm. Each node is reached from the first by name: cube 1 is entered by W.conn0, as
// r0c0 and N.conn0 come before W.conn1; only r4c0 is reached by its own connection before.
BOOST_AUTO_TEST_CASE(the_first_lanes_by_name_take_ports_as_short_cuts) {
  const Graph first = graph({{"cube.ucie.lane_select", "first"}});
  const RouteFinder routes(first);
  const auto path = [&](int pe) {
    return names(first, routes.memory_path(first.at(dma(0, 0, pe)),
                                           first.at(node_names::hbm_ctrl(0, 1, pe))));
  };
  BOOST_TEST(path(0) ==
             "sip0.cube0.pe0.pe_dma>sip0.cube0.r0c0>sip0.cube0.ucie-N.conn0>sip0.cube0.ucie-N>"
             "sip0.cube0.ucie-N.conn3>sip0.cube0.r0c5>sip0.cube0.ucie-E.conn0>sip0.cube0.ucie-E>"
             "sip0.cube1.ucie-W>sip0.cube1.ucie-W.conn0>sip0.cube1.r0c0>sip0.cube1.hbm_ctrl.pe0");
  int shared = 0;
  for (int pe = 0; pe < 8; ++pe)
    shared += path(pe).find(">sip0.cube1.ucie-W.conn0>") != std::string::npos ? 1 : 0;
  BOOST_TEST(shared == 7);
  BOOST_TEST(path(4).find(">sip0.cube1.ucie-W.conn2>") != std::string::npos, path(4));
}

BOOST_AUTO_TEST_CASE(within_a_cube_and_by_default_lanes_change_no_path) {
  const Graph first = graph({{"cube.ucie.lane_select", "first"}});
  const Graph spread = graph({{"cube.ucie.lane_select", "spread"}});
  const RouteFinder first_routes(first), spread_routes(spread);
  for (int pe = 0; pe < 8; ++pe) {
    const std::string own = node_names::hbm_ctrl(0, 0, pe), next = node_names::hbm_ctrl(0, 1, pe);
    BOOST_TEST((first_routes.memory_path(first.at(dma(0, 0, 0)), first.at(own)) ==
                memory(dma(0, 0, 0), own)));
    BOOST_TEST((spread_routes.memory_path(spread.at(dma(0, 0, 0)), spread.at(next)) ==
                memory(dma(0, 0, 0), next)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
