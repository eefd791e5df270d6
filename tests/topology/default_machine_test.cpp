// The shipped machine (spec 1.2, 2.9).
#include <boost/test/unit_test.hpp>
#include <map>

#include "platform/topology/node_names.h"
#include "platform/topology/router.h"
#include "tests/topology/machines.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(default_machine)

// Per cube 32 routers (6 x 6 less 4), m_cpu, sram, 8 hbm_ctrl, 4 ports, 16 conns, 8 x 9 engines = 134. Per SIP 16 cubes and
// an IO chiplet of 3 + 4 PHYs + 16 conns = 23. Two SIPs and a switch: 2 x (16 x 134 + 23) + 1.
BOOST_AUTO_TEST_CASE(has_4335_nodes) {
  const Graph machine = graph();
  BOOST_TEST(machine.nodes().size() == 4335U);
  std::map<std::string_view, int> kinds;
  for (const Node& node : machine.nodes()) ++kinds[name_of(node.kind)];
  BOOST_TEST(kinds["router"] == 32 * 32);
  BOOST_TEST(kinds["hbm_ctrl"] == 32 * 8);
  BOOST_TEST(kinds["ucie_conn"] == 32 * 16);
  BOOST_TEST(kinds["pe_dma"] == 32 * 8);
  BOOST_TEST(kinds["io_conn"] == 2 * 16);
  BOOST_TEST(kinds["switch"] == 1);
}

BOOST_AUTO_TEST_CASE(nodes_are_sorted_by_name_and_edges_by_their_ends) {
  const Graph machine = graph();
  for (NodeId id = 1; id < machine.nodes().size(); ++id) BOOST_REQUIRE(machine.node(id - 1).name < machine.node(id).name);
  for (std::size_t i = 1; i < machine.edges().size(); ++i) {
    const Edge& a = machine.edges()[i - 1];
    const Edge& b = machine.edges()[i];
    BOOST_REQUIRE(std::make_pair(a.src, a.dst) < std::make_pair(b.src, b.dst));
  }
}

BOOST_AUTO_TEST_SUITE_END()
