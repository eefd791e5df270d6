// `route`: hops with their times, the narrowest link, the formula.
#include "platform/probe/route_report.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/probe/routed_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(route)

namespace {

RouteReport report(RoutedMachine& m, const std::string& from, const std::string& to,
                   std::uint64_t bytes = 4096) {
  return route_report(m.graph, m.routes, m.graph.at(from), m.graph.at(to), bytes);
}

}  // namespace

// 1 ns at the DMA, 1 fs per link of 0 mm, 2 ns at the router; the first flit takes 1 ns more on
// each link.
BOOST_AUTO_TEST_CASE(memory_traffic_shows_hops_and_formula) {
  RoutedMachine m("topology.tiny.yaml");
  const RouteReport local = report(m, "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(local.json.at("kind") == "memory");
  BOOST_TEST(local.json.at("bytes") == 4096);
  const auto& hops = local.json.at("hops");
  BOOST_TEST_REQUIRE(hops.size() == 3u);
  BOOST_TEST(hops[1].at("node") == "sip0.cube0.r0c0");
  BOOST_TEST(hops[1].at("latency_ns") == 2.0);
  BOOST_TEST(hops[1].at("occupancy_ns") == 2.0);  // overhead_ns is both
  BOOST_TEST(hops[1].at("flit_occupancy_ns") == 0.0);
  BOOST_TEST(hops[1].at("node_gbs").is_null());
  BOOST_TEST(hops[1].at("link").at("bw_gbs") == 256.0);
  BOOST_TEST(hops[1].at("link").at("propagation_ns") == 0.000001);
  BOOST_TEST(hops[2].at("header_at_ns") == 3.000002);
  BOOST_TEST(hops[2].at("first_flit_at_ns") == 5.000002);
  BOOST_TEST(hops[2].at("link").is_null());
  const auto& read = local.json.at("formula").at(0);
  BOOST_TEST(read.at("op") == "read");
  BOOST_TEST(read.at("total_ns") == 30.000004);
  BOOST_TEST(read.at("memory_burst_ns") == 8.0);
  BOOST_TEST(local.text.find("read    1.000000     2.000002  19.000002      8.000000  30.000004") !=
                 std::string::npos,
             local.text);
}

BOOST_AUTO_TEST_CASE(the_first_of_the_narrowest_links_is_marked_once) {
  RoutedMachine m("topology.tiny.yaml");
  const RouteReport host = report(m, "sip0.io0.pcie_ep", "sip0.cube0.hbm_ctrl.pe0");
  std::string marked;
  for (const auto& hop : host.json.at("hops")) {
    if (!hop.at("link").is_null() && hop.at("link").at("bottleneck").get<bool>())
      marked += hop.at("node").get<std::string>();
  }
  BOOST_TEST(marked == "sip0.io0.io_noc");  // 128 GB/s
  BOOST_TEST(host.json.at("bottleneck_gbs") == 128.0);
  const std::size_t mark = host.text.find("<-- bottleneck");
  BOOST_TEST(mark != std::string::npos);
  BOOST_TEST(host.text.find("<-- bottleneck", mark + 1) == std::string::npos);
  BOOST_TEST(host.json.at("formula").at(1).at("posted") == true);
}

// Routers with 2 ns of latency: header and flits have them as an overhead. A flit of 256 B in 4 ns
// is 64 GB/s, below the 256 of the links.
BOOST_AUTO_TEST_CASE(a_node_that_limits_a_path_is_its_bottleneck) {
  const auto limited = [](const char* flit_occupancy_ns) {
    RoutedMachine m("topology.tiny.yaml",
                    {{"cube.components.router.attrs.overhead_ns", "0"},
                     {"cube.components.router.attrs.latency_ns", "2"},
                     {"cube.components.router.attrs.flit_occupancy_ns", flit_occupancy_ns}});
    return report(m, "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  };
  const RouteReport slow = limited("4"), fast = limited("1");
  BOOST_TEST(slow.json.at("bottleneck_gbs") == 64.0);
  const auto& router = slow.json.at("hops").at(1);
  BOOST_TEST(router.at("latency_ns") == 2.0);
  BOOST_TEST(router.at("flit_occupancy_ns") == 4.0);
  BOOST_TEST(router.at("occupancy_ns") == 4.0);
  BOOST_TEST(router.at("servers") == "node");
  BOOST_TEST(router.at("node_gbs") == 64.0);
  BOOST_TEST(router.at("bottleneck") == true);
  BOOST_TEST(router.at("link").at("bottleneck") == false);
  BOOST_TEST(slow.text.find("<-- bottleneck:") != std::string::npos, slow.text);
  BOOST_TEST(fast.json.at("bottleneck_gbs") == 256.0);
  BOOST_TEST(fast.json.at("hops").at(1).at("bottleneck") == false);
  BOOST_TEST(fast.json.at("hops").at(0).at("link").at("bottleneck") == true);
}

// A message holds a router for 20 ns, each flit for 3 ns: 256 B / 3 ns = 85.333 GB/s. Both routers
// of the row are that slow; the first is the bottleneck.
BOOST_AUTO_TEST_CASE(latency_occupancy_and_rate_of_each_node_are_shown) {
  RoutedMachine m("topology.yaml", {{"cube.components.router.attrs.overhead_ns", "0"},
                                    {"cube.components.router.attrs.latency_ns", "8"},
                                    {"cube.components.router.attrs.occupancy_ns", "20"},
                                    {"cube.components.router.attrs.flit_occupancy_ns", "3"},
                                    {"cube.components.router.attrs.servers", "direction"}});
  const RouteReport route = report(m, "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe1");
  const std::string row = "20            3  direction     85.333";
  const std::size_t first = route.text.find(row);
  BOOST_TEST_REQUIRE(first != std::string::npos, route.text);
  BOOST_TEST(
      route.text.find("<-- bottleneck: node\n", first) < route.text.find("<-- equal\n", first),
      route.text);
  BOOST_TEST(route.text.find(row, first + 1) != std::string::npos, route.text);
}

// HBM2: 8 pseudo-channels of 32 B / 2 ns, 128 GB/s, below the 256 of the links. With 256 GB/s of
// the controller without banks a link is the first of equals.
BOOST_AUTO_TEST_CASE(a_partition_that_limits_a_path_is_its_bottleneck) {
  RoutedMachine m("topology.tiny.yaml", {{"cube.components.hbm_ctrl.impl", "builtin.hbm_banked"}});
  const RouteReport banked = report(m, "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(banked.json.at("bottleneck_gbs") == 128.0);
  BOOST_TEST(banked.json.at("hops").at(2).at("bottleneck") == true);
  BOOST_TEST(banked.json.at("hops").at(2).at("node_gbs") == 128.0);
  BOOST_TEST(banked.json.at("hops").at(0).at("link").at("bottleneck") == false);
  RoutedMachine plain("topology.tiny.yaml");
  const RouteReport equal = report(plain, "sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  BOOST_TEST(equal.json.at("hops").at(2).at("node_gbs") == 256.0);
  BOOST_TEST(equal.json.at("hops").at(0).at("link").at("bottleneck") == true);
}

// io_cpu - io_noc - ... - m_cpu: no data, the target's 5 ns in the latency.
BOOST_AUTO_TEST_CASE(any_two_nodes_have_the_way_of_a_control_message) {
  RoutedMachine m("topology.tiny.yaml");
  const RouteReport control = report(m, "sip0.io0.io_cpu", "sip0.cube0.m_cpu");
  BOOST_TEST(control.json.at("kind") == "control");
  BOOST_TEST(!control.json.contains("formula"));
  const auto& last = control.json.at("hops").back();
  BOOST_TEST(last.at("node") == "sip0.cube0.m_cpu");
  BOOST_TEST(control.json.at("control_latency_ns").get<double>() ==
                 last.at("header_at_ns").get<double>() + 5,
             boost::test_tools::tolerance(1e-12));
  // A memory is no initiator, so this is a control message too.
  BOOST_TEST(report(m, "sip0.cube0.hbm_ctrl.pe0", "sip0.cube0.pe0.pe_dma").json.at("kind") ==
             "control");
}

std::vector<std::string> nodes_of(const RouteReport& route) {
  std::vector<std::string> nodes;
  for (const auto& hop : route.json.at("hops")) nodes.push_back(hop.at("node"));
  return nodes;
}

// A launch: pcie_ep, io_noc, io_cpu, io_noc, ..., m_cpu, ..., pe_cpu. Every station takes the
// message, and pays once.
BOOST_AUTO_TEST_CASE(what_the_host_tells_a_pe_goes_by_way_of_io_cpu_and_m_cpu) {
  RoutedMachine m("topology.yaml");
  const std::string host = "sip0.io0.pcie_ep", io_cpu = "sip0.io0.io_cpu",
                    m_cpu = "sip0.cube5.m_cpu";
  for (const std::string pe :
       {"sip0.cube5.pe3.pe_cpu", "sip0.cube5.pe3.pe_mmu", "sip0.cube5.pe3.pe_dma"}) {
    const auto latency = [&](const std::string& from, const std::string& to) {
      return report(m, from, to).json.at("control_latency_ns").get<double>();
    };
    const RouteReport whole = report(m, host, pe);
    std::vector<std::string> expected = nodes_of(report(m, host, io_cpu));
    for (const auto& [from, to] : {std::pair{io_cpu, m_cpu}, std::pair{m_cpu, pe}}) {
      const std::vector<std::string> leg = nodes_of(report(m, from, to));
      expected.insert(expected.end(), leg.begin() + 1, leg.end());
    }
    BOOST_TEST(nodes_of(whole) == expected, boost::test_tools::per_element());
    BOOST_TEST(
        latency(host, pe) == latency(host, io_cpu) + latency(io_cpu, m_cpu) + latency(m_cpu, pe),
        boost::test_tools::tolerance(1e-12));
    BOOST_TEST(latency(io_cpu, pe) == latency(io_cpu, m_cpu) + latency(m_cpu, pe),
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(whole.text.find("io_cpu and m_cpu receive the message and send a new one") !=
                   std::string::npos,
               whole.text);
    std::reverse(expected.begin(), expected.end());
    BOOST_TEST(nodes_of(report(m, pe, host)) == expected,
               boost::test_tools::per_element());  // an answer
  }
}

BOOST_AUTO_TEST_CASE(a_node_reaches_itself_in_no_time) {
  RoutedMachine m("topology.tiny.yaml");
  const RouteReport here = report(m, "sip0.cube0.r0c0", "sip0.cube0.r0c0");
  BOOST_TEST(here.json.at("hops").size() == 1u);
  BOOST_TEST(here.json.at("control_latency_ns") == 0.0);
  BOOST_TEST(here.json.at("bottleneck_gbs").is_null());
}

BOOST_AUTO_TEST_CASE(two_nodes_without_a_way_through_the_fabric_are_named) {
  RoutedMachine m("topology.tiny.yaml");
  const auto names_both = [](const RoutingError& error) {
    return std::string(error.what())
               .find("from 'sip0.cube0.pe0.pe_cpu' to 'sip0.cube0.pe0.pe_gemm'") !=
           std::string::npos;
  };
  BOOST_CHECK_EXCEPTION(report(m, "sip0.cube0.pe0.pe_cpu", "sip0.cube0.pe0.pe_gemm"), RoutingError,
                        names_both);
}

BOOST_AUTO_TEST_SUITE_END()
