// The shipped machine (spec 1.1, 1.2, 2.9).
#include <boost/test/unit_test.hpp>
#include <map>

#include "models/base/errors.h"
#include "platform/config/pe_links.h"
#include "platform/topology/node_names.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(default_machine_test)

namespace {

struct DefaultMachine {
  static const Graph& machine() {
    static const Graph instance = graph();
    return instance;
  }
  static const Edge& edge(const std::string& src, const std::string& dst) {
    const Edge* found = machine().find_edge(machine().at(src), machine().at(dst));
    BOOST_REQUIRE_MESSAGE(found != nullptr, "no edge " << src << " -> " << dst);
    return *found;
  }
  // "kind bandwidth distance weight" of both directions, which must agree but for the kind.
  static std::string link(const std::string& a, const std::string& b) {
    const Edge& there = edge(a, b);
    const Edge& back = edge(b, a);
    BOOST_TEST((there.bw_gbs == back.bw_gbs));
    BOOST_TEST((there.distance_mm == back.distance_mm));
    BOOST_TEST((there.routing_weight_mm == back.routing_weight_mm));
    std::string kinds(name_of(there.kind));
    if (there.kind != back.kind) kinds += "/" + std::string(name_of(back.kind));
    return kinds + " " + (there.bw_gbs ? there.bw_gbs->str() : "-") + " " +
           there.distance_mm.str() + " " + there.routing_weight_mm.str();
  }
  // Name of the router next to a node, by an edge of the given kind.
  static std::string router_of(const std::string& node) {
    const NodeId id = machine().at(node);
    const auto [first, last] = machine().out_edges(id);
    for (std::size_t e = first; e < last; ++e) {
      const Node& next = machine().node(machine().edges()[e].dst);
      if (next.kind == Role::router) return next.name.substr(next.name.rfind('.') + 1);
    }
    return "";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(default_machine, DefaultMachine)

// Per cube 32 routers (6 x 6 less 4), m_cpu, sram, 8 hbm_ctrl, 4 ports, 16 conns, 8 x 9 engines =
// 134. Per SIP 16 cubes and an IO chiplet of 3 + 4 PHYs + 16 conns = 23. Two SIPs and a switch: 2 x
// (16 x 134 + 23) + 1.
BOOST_AUTO_TEST_CASE(has_4335_nodes) {
  BOOST_TEST(machine().nodes().size() == 4335U);
  std::map<std::string_view, int> kinds;
  for (const Node& node : machine().nodes()) ++kinds[name_of(node.kind)];
  BOOST_TEST(kinds["router"] == 32 * 32);
  BOOST_TEST(kinds["hbm_ctrl"] == 32 * 8);
  BOOST_TEST(kinds["ucie_port"] == 32 * 4);
  BOOST_TEST(kinds["ucie_conn"] == 32 * 16);
  for (const EngineOfPe& engine : engines_of_pe)
    BOOST_TEST(kinds[name_of(engine.engine)] == 32 * 8);
  BOOST_TEST(kinds["io_ucie"] == 2 * 4);
  BOOST_TEST(kinds["io_conn"] == 2 * 16);
  BOOST_TEST(kinds["switch"] == 1);
}

// Directed edges. Mesh of a cube: 6 x 5 + 5 x 6 = 60 links of the full grid, less the 12 that touch
// the zone of 2 x 2 (4 inside it, 8 around it) = 48. Seams: 2 x 4 x 3 = 24 per SIP. PE: 32
// pe_internal, 2 pe_to_router, 4 command.
BOOST_AUTO_TEST_CASE(has_the_edges_of_every_kind) {
  std::map<std::string_view, int> kinds;
  for (const Edge& edge : machine().edges()) ++kinds[name_of(edge.kind)];
  BOOST_TEST(kinds["router_mesh"] == 32 * 48 * 2);
  BOOST_TEST(kinds["pe_internal"] == 256 * 32);
  BOOST_TEST(kinds["pe_to_router"] == 256 * 2);
  BOOST_TEST(kinds["command"] == 256 * 4);
  BOOST_TEST(kinds["router_to_hbm"] == 256 * 2);
  BOOST_TEST(kinds["router_to_mcpu"] == 32 * 2);
  BOOST_TEST(kinds["router_to_sram"] == 32 * 2);
  BOOST_TEST(kinds["router_to_ucie_conn"] == 32 * 16);
  BOOST_TEST(kinds["ucie_conn_to_router"] == 32 * 16);
  BOOST_TEST(kinds["ucie_internal"] == 32 * 16 * 2);
  BOOST_TEST(kinds["ucie_mesh"] == 2 * 24 * 2);
  BOOST_TEST(kinds["io_to_cube"] == 2 * 4);
  BOOST_TEST(kinds["cube_to_io"] == 2 * 4);
  BOOST_TEST(kinds["io_internal"] == 2 * 2 * (2 + 2 * 16));
  BOOST_TEST(kinds["pcie"] == 2 * 2);
}

BOOST_AUTO_TEST_CASE(nodes_are_sorted_by_name_and_edges_by_their_ends) {
  for (NodeId id = 1; id < machine().nodes().size(); ++id)
    BOOST_REQUIRE(machine().node(id - 1).name < machine().node(id).name);
  for (std::size_t i = 1; i < machine().edges().size(); ++i) {
    const Edge& a = machine().edges()[i - 1];
    const Edge& b = machine().edges()[i];
    BOOST_REQUIRE(std::make_pair(a.src, a.dst) < std::make_pair(b.src, b.dst));
  }
}

BOOST_AUTO_TEST_CASE(names_follow_the_rules_of_the_hierarchy) {
  for (const char* name :
       {"fabric.switch0", "sip1.io0.pcie_ep", "sip0.io0.io_cpu", "sip0.io0.io_noc",
        "sip0.io0.io_ucie-P3", "sip1.io0.io_ucie-P0.conn3", "sip0.cube15.r5c5", "sip0.cube0.m_cpu",
        "sip0.cube0.sram", "sip0.cube0.hbm_ctrl.pe7", "sip0.cube0.ucie-W",
        "sip0.cube0.ucie-S.conn2", "sip1.cube3.pe7.pe_fetch_store"}) {
    BOOST_TEST(machine().find(name).has_value(), name);
  }
  BOOST_TEST(!machine().find("sip0.cube0.r2c2").has_value());  // inside the HBM zone
  BOOST_TEST(!machine().find("sip2.io0.pcie_ep").has_value());
  BOOST_CHECK_THROW(machine().at("sip2.io0.pcie_ep"), RoutingError);
}

BOOST_AUTO_TEST_CASE(pes_attach_to_the_routers_of_their_corners) {
  const std::vector<std::string> routers{"r0c0", "r0c1", "r1c4", "r1c5",
                                         "r4c0", "r4c1", "r5c4", "r5c5"};
  for (int pe = 0; pe < 8; ++pe) {
    for (const char* engine : {"pe_dma", "pe_cpu", "pe_mmu"})
      BOOST_TEST(router_of(node_names::engine(0, 0, pe, engine)) ==
                 routers[static_cast<std::size_t>(pe)]);
    BOOST_TEST(router_of(node_names::hbm_ctrl(0, 0, pe)) == routers[static_cast<std::size_t>(pe)]);
  }
  BOOST_TEST(router_of("sip0.cube0.m_cpu") == "r2c0");
  BOOST_TEST(router_of("sip0.cube0.sram") == "r3c0");
}

BOOST_AUTO_TEST_CASE(ucie_connections_attach_along_the_rim) {
  const std::vector<int> along{0, 1, 4, 5};  // PE columns for N and S, PE rows for E and W
  for (int i = 0; i < 4; ++i) {
    const std::string at = std::to_string(along[static_cast<std::size_t>(i)]);
    BOOST_TEST(router_of(node_names::ucie_conn(0, 0, 'N', i)) == "r0c" + at);
    BOOST_TEST(router_of(node_names::ucie_conn(0, 0, 'S', i)) == "r5c" + at);
    BOOST_TEST(router_of(node_names::ucie_conn(0, 0, 'E', i)) == "r" + at + "c5");
    BOOST_TEST(router_of(node_names::ucie_conn(0, 0, 'W', i)) == "r" + at + "c0");
  }
}

BOOST_AUTO_TEST_CASE(links_have_their_kind_bandwidth_length_and_weight) {
  const std::string cube = "sip0.cube0.";
  BOOST_TEST(link(cube + "r0c0", cube + "r0c1") == "router_mesh 256 2.5 2.5");  // columns 1.5 and 4
  BOOST_TEST(link(cube + "r1c1", cube + "r1c2") == "router_mesh 256 3 3");      // 4 and 7
  BOOST_TEST(link(cube + "r1c0", cube + "r2c0") == "router_mesh 256 1.5 1.5");  // rows 4 and 5.5
  BOOST_TEST(link(cube + "r2c0", cube + "r3c0") == "router_mesh 256 3 3");      // 5.5 and 8.5
  BOOST_TEST(link(cube + "pe0.pe_dma", cube + "r0c0") == "pe_to_router 256 0 0");
  BOOST_TEST(link(cube + "pe0.pe_cpu", cube + "r0c0") == "command - 0 0");
  BOOST_TEST(link(cube + "pe0.pe_mmu", cube + "r0c0") == "command - 0 0");
  BOOST_TEST(link(cube + "pe0.pe_dma", cube + "pe0.pe_tcm") == "pe_internal - 0 0");
  BOOST_TEST(link(cube + "hbm_ctrl.pe0", cube + "r0c0") == "router_to_hbm 256 0 0");
  BOOST_TEST(link(cube + "m_cpu", cube + "r2c0") == "router_to_mcpu - 0 0");
  BOOST_TEST(link(cube + "sram", cube + "r3c0") == "router_to_sram 128 0 0");
  BOOST_TEST(link(cube + "r0c0", cube + "ucie-N.conn0") ==
             "router_to_ucie_conn/ucie_conn_to_router 128 0 0");
  // RouteFinder (1.5, 1.5), middle of the north side (8.5, 0): 100 + 7 + 1.5; of the west side (0,
  // 7): 100 + 1.5 + 5.5.
  BOOST_TEST(link(cube + "ucie-N.conn0", cube + "ucie-N") == "ucie_internal 128 0 108.5");
  BOOST_TEST(link(cube + "ucie-W.conn0", cube + "ucie-W") == "ucie_internal 128 0 107");
  BOOST_TEST(link(cube + "ucie-E", "sip0.cube1.ucie-W") == "ucie_mesh 512 1 1");
  BOOST_TEST(link(cube + "ucie-S", "sip0.cube4.ucie-N") == "ucie_mesh 512 1 1");
  BOOST_TEST(link("sip0.io0.io_ucie-P1", "sip0.cube1.ucie-N") ==
             "io_to_cube/cube_to_io 512 2 2");  // 4 x 128
  BOOST_TEST(link("sip0.io0.io_ucie-P1.conn2", "sip0.io0.io_ucie-P1") == "io_internal 128 0 0");
  BOOST_TEST(link("sip0.io0.io_noc", "sip0.io0.io_ucie-P1.conn2") == "io_internal 128 0 10000");
  BOOST_TEST(link("sip0.io0.pcie_ep", "sip0.io0.io_noc") == "io_internal 256 0 0");
  BOOST_TEST(link("sip0.io0.io_cpu", "sip0.io0.io_noc") == "io_internal - 0 0");
  BOOST_TEST(link("sip0.io0.pcie_ep", "fabric.switch0") == "pcie 64 50 50");
}

BOOST_AUTO_TEST_CASE(cubes_stand_side_by_side_with_the_seam_between) {
  const Node& router =
      machine().node(machine().at("sip1.cube6.r1c1"));  // cube (2, 1), router at (4, 4)
  BOOST_TEST(router.x_mm.str() == "40");                // 2 x (17 + 1) + 4
  BOOST_TEST(router.y_mm.str() == "19");                // 1 x (14 + 1) + 4
  BOOST_TEST(router.at.sip == 1);
  BOOST_TEST(router.at.cube == 6);
  BOOST_TEST(router.at.row == 1);
  BOOST_TEST(router.at.col == 1);
  BOOST_TEST(router.at.pe == -1);
}

BOOST_AUTO_TEST_CASE(facts_of_the_machine_are_filled_into_the_components_that_ask) {
  const Attributes& hbm = machine().node(machine().at("sip0.cube0.hbm_ctrl.pe0")).attributes();
  BOOST_TEST(hbm.integer("num_pcs") == 8);  // not given: hbm_channels_per_pe
  BOOST_TEST(hbm.decimal("link_bw_gbs").str() == "256");
  BOOST_TEST(hbm.integer("flit_bytes") == 256);
  const Attributes& dma = machine().node(machine().at("sip0.cube0.pe3.pe_dma")).attributes();
  BOOST_TEST(dma.integer("channels_per_pe") == 8);
  BOOST_TEST(dma.decimal("channel_bw_gbs").str() == "32");
  BOOST_TEST(machine().node(machine().at("sip0.io0.pcie_ep")).attributes().flag("cut_through") ==
             false);  // the default
}

BOOST_AUTO_TEST_CASE(tiny_and_six_sip_machines_load) {
  MachineSpec tiny = load_machine(source_dir + "/configs/topology.tiny.yaml", {}, registry());
  tiny.source_path.clear();
  BOOST_TEST(build_graph(tiny).nodes().size() ==
             1U + 134 + 3 + 1 + 4);  // one cube, one PHY of four conns
  MachineSpec six = load_machine(source_dir + "/configs/topology.six_sip.yaml", {}, registry());
  six.source_path.clear();
  BOOST_TEST(six.system.sips.w == 3);
  BOOST_TEST(six.system.sips.h == 2);
  BOOST_TEST((six.system.sips.topology == SipTopology::torus_2d));
  BOOST_TEST(build_graph(six).nodes().size() == 1U + 6 * (16 * 134 + 23));
}

BOOST_AUTO_TEST_CASE(one_to_one_mapping_adds_a_node_per_channel) {
  const Graph channels = graph({{"cube.memory_map.hbm_mapping_mode", "one_to_one"},
                                {"cube.memory_map.address_model", "la"}});
  BOOST_TEST(channels.nodes().size() == 4335U + 256 * 8);
  const Edge* link =
      channels.find_edge(channels.at("sip0.cube0.r0c0"), channels.at("sip0.cube0.pe0.ch3"));
  BOOST_REQUIRE(link != nullptr);
  BOOST_TEST(link->bw_gbs->str() == "32");
  BOOST_TEST(channels.node(link->dst).attributes().decimal("overhead_ns").is_zero());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
