// The parts of a latency (spec 11.3): derived by hand, and that they always add up.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "platform/observe/latency_breakdown.h"
#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/traffic/random_recipe.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(breakdown)

namespace {

constexpr Fs ns(double value) { return static_cast<Fs>(value * 1e6 + 0.5); }

using Row = std::vector<std::uint64_t>;  // pe_setup, noc, ucie, fabric, link, hbm, contention

Row row_of(const LatencyParts& parts) {
  Row row;
  for (std::size_t i = 0; i < latency_part_count; ++i)
    row.push_back(parts[static_cast<LatencyPart>(i)]);
  return row;
}

class Taken final : public TrafficListener {
 public:
  explicit Taken(Platform& platform) : breakdown_(platform) {}
  void ended(const TrafficResult& result) override {
    const TrafficRequest& request = result.request;
    const LatencyParts taken = breakdown_
                                   .take(traffic_key(request.issue, request.id), request.initiator,
                                         request.issue, result.grant, result.end)
                                   .parts();
    if (parts.size() <= request.id) parts.resize(request.id + 1);
    parts[request.id] = taken;
    BOOST_TEST(taken.total() == result.latency(), "request " << request.id);
    // No part is the result of a subtraction that went below zero.
    for (const std::uint64_t part : row_of(taken)) BOOST_TEST(part <= result.latency());
    ends.push_back(result.end);
  }
  std::vector<LatencyParts> parts;
  std::vector<Fs> ends;

 private:
  LatencyBreakdown breakdown_;
};

std::vector<LatencyParts> parts_of(TrafficMachine& m, TrafficSource& source) {
  Taken taken(*m.platform);
  TrafficPlayer player("traffic", *m.platform, source, taken);
  const RunResult result = m.platform->run();
  if (result.cause) std::rethrow_exception(result.cause);
  return taken.parts;
}

std::vector<LatencyParts> parts_of(const std::string& rows,
                                   const std::string& topology = "topology.tiny.yaml",
                                   const std::vector<Override>& overrides = {}) {
  TrafficMachine m(topology, overrides);
  const CsvFile csv(csv_header + rows);
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  return parts_of(m, file);
}

void check(const LatencyParts& parts, const Row& expected) {
  BOOST_TEST(row_of(parts) == expected, boost::test_tools::per_element());
}

const std::string pe0 = "sip0.cube0.pe0.pe_dma,", pe1 = "sip0.cube0.pe1.pe_dma,";

}  // namespace

// 15 ns + 4 fs (traffic_times): DMA 1; routers 2 + 2 and four links of 1 fs; two links of 1 ns; a
// burst of 8.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_one_flit) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n").at(0),
        {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
}

// 30 ns + 4 fs. Command: 1, router 2. The first eight flits are out at 11. The first one has the
// link until 12, the router until 14; then the link to the DMA is never free until the last flit
// has left at 30, so the walk goes back to the first flit there: 16 ns on that link, the router's
// 2, 1 on the link before, one burst of 8.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_sixteen_flits) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,4096\n").at(0),
        {ns(1), ns(4) + 4, 0, 0, ns(17), ns(8), 0});
}

// Write: the first of 16 flits leaves the DMA's link at 2 and the router at 4; from then on the
// link to the HBM is taken until 20 +2. The last burst ends at 28 +2; the acknowledgement pays the
// router: 2 +2.
KERNBENCH_SYSTEMC_TEST(a_local_write_of_sixteen_flits) {
  check(parts_of("0," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,0,4096\n").at(0),
        {ns(1), ns(4) + 4, 0, 0, ns(17), ns(8), 0});
}

// 87.5 ns + 12 fs. NoC: routers 7 * 2 twice, mesh links 1.4 twice, PE and HBM links 1 fs, four.
// UCIe: two ports of 8 and the seam of 0.1 ns twice, conn links of 1 fs, eight. Links of the
// data: 15.5.
KERNBENCH_SYSTEMC_TEST(a_read_in_the_next_cube) {
  check(parts_of("0," + pe0 + "read,sip0.cube1.hbm_ctrl.pe0,0,256\n", "topology.tiny.yaml",
                 {{"sip.cube_mesh.w", "2"}})
            .at(0),
        {ns(1), ns(30.8) + 4, ns(32.2) + 8, 0, ns(15.5), ns(8), 0});
}

// Posted: 42.7 ns + 6 fs. End point 5. The first flit has links until 6, 8, 10, io_ucie until 18,
// its link until 18.5 and 0.2 of propagation, UCIe-N until 26.7, links until 28.7 and 30.7, the
// router until 32.7. There its link is free; the second flit comes at 32.7 and is behind the first
// one on that link until 33.7: the walk goes on with the first one. Links: 9.5 and two flits there.
KERNBENCH_SYSTEMC_TEST(a_write_of_the_host) {
  // links without length: pcie_ep > io_noc > conn > io_ucie are fabric; ucie-N > conn > router
  // UCIe; router > hbm NoC.
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,512\n").at(0),
        {ns(5), ns(2) + 1, ns(8 + 0.2 + 8) + 2, 3, ns(9.5 + 2), ns(8), 0});
}

// 16 flits: behind UCIe-N its link to the conn (2 ns a flit) is never free from 26.7, when the
// first flit leaves the port, until 58.7; the last flit goes on without a wait, 2 and 1 ns, for the
// router's 2 ns are over before the third flit comes. Without the ports' overheads the write takes
// 16 ns less, all of them UCIe's.
KERNBENCH_SYSTEMC_TEST(both_ports_show_in_a_long_write_of_the_host) {
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,4096\n").at(0),
        {ns(5), 1, ns(16.2) + 2, 3, ns(5.5 + 32 + 2 + 1), ns(8), 0});
}
KERNBENCH_SYSTEMC_TEST(without_their_overheads_the_same_write_is_shorter_by_their_part) {
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,4096\n", "topology.tiny.yaml",
                 {{"cube.ucie.port.attrs.overhead_ns", "0"},
                  {"sip.io_chiplets.io0.components.io_ucie.attrs.overhead_ns", "0"}})
            .at(0),
        {ns(5), 1, ns(0.2) + 2, 3, ns(5.5 + 32 + 2 + 1), ns(8), 0});
}

namespace {

// UCIe-N of the cube and its neighbour in the IO chiplet.
std::vector<Override> pipelined_ports(const std::string& occupancy_ns) {
  std::vector<Override> set;
  for (const std::string port : {"cube.ucie.port", "sip.io_chiplets.io0.components.io_ucie"}) {
    set.push_back({port + ".attrs.overhead_ns", "0"});
    set.push_back({port + ".attrs.latency_ns", "8"});
    set.push_back({port + ".attrs.occupancy_ns", occupancy_ns});
  }
  return set;
}

}  // namespace

// The flits come to io_ucie from 10 on, 2 ns apart, and leave both ports 8 ns later, 2 ns apart,
// too: behind UCIe-N its link is never free from 26.7 until 58.7, as above, and each flit comes
// when it is free: the walk stays with the last one, which has the latency of both ports.
KERNBENCH_SYSTEMC_TEST(pipelined_ports_show_their_latency_in_each_flit) {
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,4096\n", "topology.tiny.yaml",
                 pipelined_ports("0.5"))
            .at(0),
        {ns(5), 1, ns(16.2) + 2, 3, ns(5.5 + 32 + 2 + 1), ns(8), 0});
}
// The first flit holds io_ucie from 10 until 14, so the second one, there at 12, leaves it at 22
// and UCIe-N at 30.7, 2 ns after the link behind it is free; from then on the link is never free.
// The walk goes back to the second flit there, and at io_ucie to the first one, which held it for
// 4: the part of the links has 2 ns less.
KERNBENCH_SYSTEMC_TEST(an_occupancy_that_holds_up_the_own_message_is_the_nodes) {
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,4096\n", "topology.tiny.yaml",
                 pipelined_ports("4"))
            .at(0),
        {ns(5), 1, ns(4 + 8 + 0.2 + 8) + 2, 3, ns(5.5 + 30 + 2 + 1), ns(8), 0});
}

// The overheads of a flit that is alone on its way, and of the control message of the other leg,
// belong to the parts of their nodes; its propagations to those of their links; bytes / bandwidth
// of every link is the links' part.
KERNBENCH_SYSTEMC_TEST(the_parts_of_a_single_flit_are_the_sums_over_its_way) {
  TrafficMachine m("topology.yaml");
  const std::vector<std::string> initiators{"sip0.cube0.pe0.pe_dma", "sip0.cube5.pe7.pe_dma",
                                            "sip1.io0.pcie_ep"};
  const std::vector<std::string> targets{"sip0.cube0.hbm_ctrl.pe3", "sip0.cube1.hbm_ctrl.pe0",
                                         "sip1.cube3.hbm_ctrl.pe0"};
  std::string rows;
  std::vector<Row> expected;
  for (const std::string& initiator : initiators) {
    for (const std::string& target : targets) {
      for (const bool write : {false, true}) {
        rows += std::to_string(100'000 * expected.size()) + "," + initiator + "," +
                (write ? "write," : "read,") + target + ",0,256\n";
        const Graph& graph = m.platform->graph();
        const bool host = graph.node(m.node(initiator)).kind == Role::pcie_ep;
        const Path& path = m.platform->routes().memory_path(m.node(initiator), m.node(target));
        LatencyParts parts;
        parts[LatencyPart::pe_setup] = ns(host ? 5 : 1);
        parts[LatencyPart::hbm] = ns(8);
        const int legs = host && write ? 1 : 2;  // posted
        for (std::uint32_t i = 0; i < path.target_position(); ++i) {
          const PathHop& hop = path.hop(i);
          const Edge& edge = *graph.find_edge(hop.node, path.hop(i + 1).node);
          parts[part_of(edge.kind)] += static_cast<Fs>(legs) * hop.propagation_fs;
          parts[LatencyPart::link] += transfer_fs(256, hop.bw_gbs);
          if (i > 0)
            parts[part_of(graph.node(hop.node).kind)] += static_cast<Fs>(legs) * hop.overhead_fs;
        }
        expected.push_back(row_of(parts));
      }
    }
  }
  const CsvFile csv(csv_header + rows);
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  const std::vector<LatencyParts> parts = parts_of(m, file);
  BOOST_TEST_REQUIRE(parts.size() == expected.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    BOOST_TEST_CONTEXT("request " << i) { check(parts[i], expected[i]); }
  }
}

// Both PEs write 4 KiB to PE 0's partition. PE1's flits come to r0c0 0.25 + 2 + 1 ns later than
// PE0's (a hop more) and share its link with them flit by flit: each waits for flits of the other,
// which is contention, and the link is theirs for 16 ns each.
KERNBENCH_SYSTEMC_TEST(flits_of_others_on_a_shared_link_are_contention) {
  const auto parts = parts_of("0," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,0,4096\n0," + pe1 +
                              "write,sip0.cube0.hbm_ctrl.pe0,8192,4096\n");
  for (const LatencyParts& of_one : parts) {
    BOOST_TEST(of_one[LatencyPart::contention] > ns(8));
    BOOST_TEST(of_one[LatencyPart::contention] <=
               ns(16 + 2 + 8 + 8));  // the other's flits and first flit's overhead, bursts
    BOOST_TEST(of_one[LatencyPart::ucie] == 0u);
    BOOST_TEST(of_one[LatencyPart::fabric] == 0u);
  }
}

// The own TCM has no way at all.
KERNBENCH_SYSTEMC_TEST(the_own_tcm) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.pe0.pe_tcm,0,512\n").at(0),
        {ns(1), 0, 0, 0, 0, 0, 0});
}

KERNBENCH_SYSTEMC_TEST(the_wait_for_the_channel_is_contention) {
  const auto parts = parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n0," + pe0 +
                              "read,sip0.cube0.hbm_ctrl.pe0,0,256\n");
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), ns(15) + 4});
}

// Two PEs read one burst of the same channel. PE1's command comes 0.25 + 2 ns (a hop more) behind
// PE0's at 3+2, at 5.25+2, and waits until 11+2 for PE0's burst.
KERNBENCH_SYSTEMC_TEST(bursts_of_others_are_contention) {
  const auto parts = parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n0," + pe1 +
                              "read,sip0.cube0.hbm_ctrl.pe0,2048,256\n");
  check(parts.at(0), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
  check(parts.at(1), {ns(1), ns(8.5) + 4, 0, 0, ns(3), ns(8), ns(5.75)});
}

// A change of direction after others' bursts is the memory's time, not contention.
KERNBENCH_SYSTEMC_TEST(the_switch_penalty_is_the_memorys) {
  const auto parts =
      parts_of("0," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,0,256\n100," + pe0 +
                   "read,sip0.cube0.hbm_ctrl.pe0,0,256\n",
               "topology.tiny.yaml", {{"cube.components.hbm_ctrl.attrs.switch_penalty_ns", "5"}});
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(13), 0});
}

// A PE's flit holds the router from 30.7+1 to 32.7+1, when the host's first one comes at 30.7+5,
// which then holds it until 34.7+1 (see traffic_times). The second flit comes at 32.7+5, when its
// own first one holds it, and on the link to the HBM it is behind it: the walk goes on with the
// first one, which waited 2 ns less 4 fs for the PE.
KERNBENCH_SYSTEMC_TEST(a_router_shared_with_a_pe) {
  const auto parts = parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,512\n28.7," +
                              pe0 + "write,sip0.cube0.hbm_ctrl.pe0,1024,256\n");
  check(parts.at(0), {ns(5), ns(2) + 1, ns(16.2) + 2, 3, ns(11.5), ns(8), ns(2) - 4});
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
}

// --- Whatever the traffic, the parts add up to the latency (checked in Taken), and watching
// changes no time.

RC_BOOST_PROP(the_parts_add_up_to_the_latency, ()) {
  const TrafficRecipe recipe = random_recipe(*rc::gen::inRange<std::uint64_t>(1, 10));
  const std::vector<Override> overrides{
      {"cube.components.hbm_ctrl.attrs.switch_penalty_ns",
       *rc::gen::element<std::string>("0", "7")},
      {"cube.components.hbm_ctrl.attrs.overhead_ns", *rc::gen::element<std::string>("0", "3")},
      {"cube.components.router.attrs",
       *rc::gen::element<std::string>(
           "{overhead_ns: 2}",
           "{overhead_ns: 0, latency_ns: 5, occupancy_ns: 7, flit_occupancy_ns: 1.5}",
           "{overhead_ns: 0, latency_ns: 9, occupancy_ns: 3, servers: port}")},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through",
       *rc::gen::element<std::string>("true", "false")},
      {"cube.pe_template.links",
       *rc::gen::element<std::string>("{}",
                                      "{pe_dma_to_pe_tcm: {bw_gbs: 512.0, distance_mm: 0.5}}")}};
  const auto watched = forked_value([&] {
    TrafficMachine m("topology.tiny.yaml", overrides);
    TrafficGenerator generator(recipe, *m.platform);
    Taken taken(*m.platform);
    TrafficPlayer player("traffic", *m.platform, generator, taken);
    const RunResult result = m.platform->run();
    if (result.cause) std::rethrow_exception(result.cause);
    return taken.ends;
  });
  const auto alone = forked_value([&] {
    TrafficMachine m("topology.tiny.yaml", overrides);
    TrafficGenerator generator(recipe, *m.platform);
    class Ends final : public TrafficListener {
     public:
      void ended(const TrafficResult& result) override { ends.push_back(result.end); }
      std::vector<Fs> ends;
    } ends;
    TrafficPlayer player("traffic", *m.platform, generator, ends);
    m.platform->run();
    return ends.ends;
  });
  RC_ASSERT(watched == alone);
}

// 100 us apart: nothing is behind anything.
BOOST_AUTO_TEST_CASE(a_request_alone_has_no_contention) {
  const std::vector<std::string> initiators{"sip0.cube0.pe0.pe_dma", "sip0.cube5.pe7.pe_dma",
                                            "sip1.io0.pcie_ep"};
  const std::vector<std::string> targets{"sip0.cube0.hbm_ctrl.pe3", "sip1.cube3.hbm_ctrl.pe0",
                                         "sip1.cube0.sram", "sip0.cube2.pe1.pe_tcm",
                                         "sip0.cube0.pe0.pe_tcm"};
  std::string rows;
  int at_us = 0;
  for (const std::string& initiator : initiators) {
    for (const std::string& target : targets) {
      for (const char* op : {"read", "write"}) {
        for (const int bytes : {1, 256, 5000, 40000}) {
          at_us += 100;
          rows += std::to_string(at_us) + "000," + initiator + "," + op + "," + target + "," +
                  std::to_string(bytes * 3) + "," + std::to_string(bytes) + "\n";
        }
      }
    }
  }
  std::vector<Override> pipelined = pipelined_ports("4");
  for (const std::string node : {"cube.components.router", "system.switch"})
    pipelined.push_back(
        {node + ".attrs",
         "{overhead_ns: 0, latency_ns: 5, occupancy_ns: 7, flit_occupancy_ns: 1.5}"});
  for (const std::vector<Override>& overrides : {{}, pipelined}) {
    const auto contention = forked_value([&] {
      std::vector<Fs> contention;
      for (const LatencyParts& parts : parts_of(rows, "topology.yaml", overrides))
        contention.push_back(parts[LatencyPart::contention]);
      return contention;
    });
    BOOST_TEST(contention == std::vector<Fs>(120, 0), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
