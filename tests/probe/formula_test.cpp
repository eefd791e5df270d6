// The formula of spec 2.8, derived by hand.
#include <boost/test/unit_test.hpp>

#include "platform/topology/lower_bound.h"
#include "platform/topology/machine_message.h"
#include "platform/topology/zero_load_latency.h"
#include "tests/probe/routed_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(formula)

namespace {

constexpr Fs ns = fs_per_ns;

// A way and its reverse over links of the same kind both ways.
struct Way {
  Way(std::vector<PathHop> hops) : forward(hops, nullptr), backward(reversed(hops), &forward) {
    forward.set_reverse(&backward);
  }
  static std::vector<PathHop> reversed(const std::vector<PathHop>& hops) {
    std::vector<PathHop> back(hops.rbegin(), hops.rend());
    for (std::size_t i = 0; i + 1 < back.size(); ++i) {
      back[i].bw_gbs = back[i + 1].bw_gbs;
      back[i].propagation_fs = back[i + 1].propagation_fs;
    }
    return back;
  }
  Path forward;
  Path backward;
};

PathHop hop(Fs overhead, std::int64_t bw_gbs = 0, Fs propagation = 0) {
  return {0, 0, 0, overhead, propagation, Rational(bw_gbs)};
}

// Initiator 1 ns - 256 GB/s, 1 ns - node 2 ns - 64 GB/s, 3 ns - node 5 ns - 128 GB/s, 1 ns -
// memory.
Way narrow_in_the_middle() {
  return Way(
      {hop(1 * ns, 256, 1 * ns), hop(2 * ns, 64, 3 * ns), hop(5 * ns, 128, 1 * ns), hop(4 * ns)});
}

MemoryMessage message(bool write, std::uint64_t bytes) {
  MemoryMessage m;
  m.write = write;
  m.bytes = bytes;
  m.initiator_overhead = 1 * ns;
  m.memory_overhead = 4 * ns;
  return m;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_control_leg_is_every_overhead_passed_and_every_propagation) {
  const Way way = narrow_in_the_middle();
  // 1; 1 + 2 + 3 = 6; 6 + 5 + 1 = 12.
  const LegBound leg = control_leg(way.forward);
  BOOST_TEST((leg.first == std::vector<Fs>{0, 1 * ns, 6 * ns, 12 * ns}));
  BOOST_TEST(leg.last == 12 * ns);
}

// 1024 bytes = 4 flits of 256: 1, 4, 2 ns each on the three links.
//   link 0: 4 + 1, then the last flit over links 1 and 2: 4 + 3 + 2 + 1 = 15
//   link 1: first flit there at 1 + 1 + 2 = 4; payload 16 + 3, then 2 + 1 = 26   the largest
//   link 2: first flit there at 4 + 4 + 3 + 5 = 16; payload 8 + 1 = 25
BOOST_AUTO_TEST_CASE(a_data_leg_is_the_largest_over_its_links) {
  const Way way = narrow_in_the_middle();
  const LegBound leg = data_leg(way.forward, FlitCut(message(true, 1024)), {});
  BOOST_TEST((leg.first ==
              std::vector<Fs>{0, 2 * ns, 11 * ns, 19 * ns}));  // 1 + 1; + 2 + 4 + 3; + 5 + 2 + 1
  BOOST_TEST(leg.last == 26 * ns);
}

// One flit: every link gives the flit's own journey, overheads included only up to the link: the
// last link's is the largest.
BOOST_AUTO_TEST_CASE(a_data_leg_is_at_least_the_first_flits_own_journey) {
  const Way way = narrow_in_the_middle();
  const LegBound leg = data_leg(way.forward, FlitCut(message(true, 256)), {});
  BOOST_TEST(leg.last == 19 * ns);
  BOOST_TEST(leg.first.back() == leg.last);
}

// The node behind link 1 stores: links 0 and 1 make 4 + 16 + 3 = 23 (above, without the last link),
// then its 5 ns, then all flits on link 2: 8 + 1. The first one is there at 23 + 5 + 2 + 1 = 31.
BOOST_AUTO_TEST_CASE(a_node_that_stores_cuts_the_leg_into_parts_that_add_up) {
  const Way way = narrow_in_the_middle();
  const LegBound leg =
      data_leg(way.forward, FlitCut(message(true, 1024)), {false, false, true, false});
  BOOST_TEST((leg.first == std::vector<Fs>{0, 2 * ns, 11 * ns, 31 * ns}));
  BOOST_TEST(leg.last == (23 + 5 + 9) * ns);
}

namespace {

// The first node of narrow_in_the_middle() with its 2 ns as a latency.
Transits pipelined_first(Fs hold, Fs later_hold) {
  Transits nodes(2);
  nodes[1].pipelined = true;
  nodes[1].hold = hold;
  nodes[1].later_hold = later_hold;
  return nodes;
}

// Both formulas of a posted write of 1024 bytes to an SRAM, without the initiator's 1 ns and the
// memory's 4.
void check_leg(const Transits& nodes, Fs leg) {
  const Way way = narrow_in_the_middle();
  MemoryMessage m = message(true, 1024);
  m.posted = true;
  m.request_nodes = nodes;
  BOOST_TEST(data_leg(way.forward, FlitCut(m), nodes).last == leg);
  BOOST_TEST(lower_bound(way.forward, m).total() == 1 * ns + leg + 4 * ns);
  BOOST_TEST(zero_load_latency(way.forward, m) == 1 * ns + leg + 4 * ns);
}

}  // namespace

// Flits are there at 2, 3, 4, 5 and leave 2 ns later; the narrow link has them back to back from 4
// on: 16 + 3, then the last one on link 2: 2 + 1. As with an overhead.
BOOST_AUTO_TEST_CASE(a_pipeline_adds_its_latency_once) {
  check_leg(pipelined_first(1, 0), 26 * ns);
}

// The first flit, there at 2, holds the node until 8: the second one leaves at 10, two ns after the
// narrow link is free, and the others back to back: 10 + 3 * 4 + 3, then 2 + 1.
BOOST_AUTO_TEST_CASE(an_occupancy_delays_the_second_flit) {
  check_leg(pipelined_first(6 * ns, 0), 28 * ns);
}

// Flits start at 2, 7, 12, 17. The last one leaves at 19: 4 + 3, the next node, 2 + 1.
BOOST_AUTO_TEST_CASE(a_flit_occupancy_may_be_what_limits_a_leg) {
  check_leg(pipelined_first(5 * ns, 5 * ns), 29 * ns);
}

BOOST_AUTO_TEST_CASE(a_write_adds_the_memory_and_the_acknowledgement) {
  const Way way = narrow_in_the_middle();
  MemoryMessage m = message(true, 1024);
  // SRAM: its overhead follows the last flit. 1 + (26 + 4) + acknowledgement 12.
  MessageBound bound = lower_bound(way.forward, m);
  BOOST_TEST(bound.initiator == 1 * ns);
  BOOST_TEST(bound.data == 30 * ns);
  BOOST_TEST(bound.control == 12 * ns);
  BOOST_TEST(bound.burst == 0u);
  BOOST_TEST(bound.total() == 43 * ns);
  // HBM: its overhead holds the first flit, there at 19: 19 + 4 = 23 is before the last one at 26.
  // One burst of 8.
  m.memory_is_hbm = true;
  m.burst_time = 8 * ns;
  bound = lower_bound(way.forward, m);
  BOOST_TEST(bound.data == 26 * ns);
  BOOST_TEST(bound.total() == (1 + 26 + 8 + 12) * ns);
  // With 10 ns it holds the last one up: 29.
  m.memory_overhead = 10 * ns;
  BOOST_TEST(lower_bound(way.forward, m).data == 29 * ns);
  // A posted write ends at its commit.
  m.posted = true;
  BOOST_TEST(lower_bound(way.forward, m).total() == (1 + 29 + 8) * ns);
}

// The answer's links are 128 (2 ns a flit), 64 (4) and 256 (1): overheads 5 and 2 between them.
//   link 0: 8 + 1 + 4 + 3 + 1 + 1 = 18;  link 1: (2 + 1 + 5) + 16 + 3 + 1 + 1 = 29;  link 2: (8 + 4
//       + 3 + 2) + 4 + 1 = 22
BOOST_AUTO_TEST_CASE(a_read_is_the_command_the_memory_and_the_data_on_the_way_back) {
  const Way way = narrow_in_the_middle();
  MemoryMessage m = message(false, 1024);
  m.memory_is_hbm = true;
  m.burst_time = 8 * ns;
  const MessageBound bound = lower_bound(way.forward, m);
  BOOST_TEST(bound.control == (12 + 4) * ns);
  BOOST_TEST(bound.data == 29 * ns);
  BOOST_TEST(bound.total() == (1 + 16 + 8 + 29) * ns);
}

// [200, 200 + 100): 56 bytes up to the multiple of 256, then 44. 64 GB/s: 0.875 ns and 0.6875 ns.
BOOST_AUTO_TEST_CASE(flits_are_cut_at_multiples_of_their_size_in_the_memory) {
  MemoryMessage m = message(true, 100);
  m.offset = 200;
  const FlitCut flits(m);
  BOOST_TEST(flits.count == 2u);
  BOOST_TEST(flits.bytes_of(0) == 56u);
  BOOST_TEST(flits.bytes_of(1) == 44u);
  BOOST_TEST(flits.offset_of(1) == 256u);
  const Way way({hop(0, 64, 1), hop(0)});
  BOOST_TEST(data_leg(way.forward, flits, {}).last == 875'000u + 687'500u + 1u);
}

BOOST_AUTO_TEST_CASE(a_link_without_a_limit_takes_no_time) {
  const Way way({hop(0, 0, 7), hop(3, 0, 5), hop(0)});
  BOOST_TEST(data_leg(way.forward, FlitCut(message(true, 4096)), {}).last == 15u);
}

// --- On the default machine. A link of 0 mm propagates in 1 fs, one of d mm in d / 10 ns.

// pe_dma 1 ns -256- r0c0 2 ns -256- hbm_ctrl. 4096 bytes = 16 flits of 1 ns.
//   command 1 fs + 2 + 1 fs; burst 8 x 256 B / 256 GB/s = 8 ns
//   data    last link: (1 + 1 fs + 2) + 16 + 1 fs = 19 ns + 2 fs
//   total   1 + 2 + 8 + 19 = 30 ns + 4 fs
BOOST_AUTO_TEST_CASE(a_local_read) {
  RoutedMachine m;
  const Path& path = m.path("sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  const MessageBound bound = lower_bound(path, machine_message(m.graph, path, false, 0, 4096));
  BOOST_TEST(bound.initiator == 1 * ns);
  BOOST_TEST(bound.control == 2 * ns + 2);
  BOOST_TEST(bound.burst == 8 * ns);
  BOOST_TEST(bound.data == 19 * ns + 2);
  BOOST_TEST(bound.total() == 30 * ns + 4);
}

// The same legs the other way round.
BOOST_AUTO_TEST_CASE(a_local_write) {
  RoutedMachine m;
  const Path& path = m.path("sip0.cube0.pe0.pe_dma", "sip0.cube0.hbm_ctrl.pe0");
  const MessageBound bound = lower_bound(path, machine_message(m.graph, path, true, 0, 4096));
  BOOST_TEST(bound.control == 2 * ns + 2);
  BOOST_TEST(bound.total() == 30 * ns + 4);
}

// r0c0 -> r3c0 -> sram: links 256, 256 x 3 (2.5, 1.5, 3 mm), 128; overhead 2 ns at four routers and
// at the SRAM. One byte:
//   command 1 fs + 2 + 0.25 + 2 + 0.15 + 2 + 0.3 + 2 + 1 fs = 8.7 ns + 2 fs, then 2 ns of the SRAM
//   data    the same way back with the byte's 1/128 + 4/256 ns = 0.0234375 on the links, each
//       rounded: 7813 (7812.5), 3906
//   (3906.25)
//           x 4 = 23437 fs
BOOST_AUTO_TEST_CASE(a_read_of_one_byte_from_the_sram) {
  RoutedMachine m;
  const Path& path = m.path("sip0.cube0.pe0.pe_dma", "sip0.cube0.sram");
  const MessageBound bound = lower_bound(path, machine_message(m.graph, path, false, 0, 1));
  BOOST_TEST(bound.control == 8'700'002u + 2 * ns);
  BOOST_TEST(bound.data == 8'700'002u + 23'437u);
  BOOST_TEST(bound.burst == 0u);
}

// pcie_ep 5 -256- io_noc 0 -128- conn 0 -128- io_ucie 8 -512, 2 mm- ucie-N 8 -128- conn 0 -128-
// r0c0 2 -256- hbm. 32 KiB = 128 flits of 1, 2, 2, 0.5, 2, 2, 1 ns. The last of the four links of
// 128 GB/s gives the most:
//   first flit there: 1 + 2 + 2 + 8 + 0.5 + 0.2 + 8 + 2 = 23.7 ns (and 1 fs for each of 4 links),
//       payload 256, last flit behind it
//   1 leg 280.7 ns + 6 fs; total 5 + 280.7 + 8
BOOST_AUTO_TEST_CASE(a_posted_write_of_the_host) {
  RoutedMachine m;
  const Path& path = m.path("sip0.io0.pcie_ep", "sip0.cube0.hbm_ctrl.pe0");
  const MessageBound bound = lower_bound(path, machine_message(m.graph, path, true, 0, 32768));
  BOOST_TEST(bound.initiator == 5 * ns);
  BOOST_TEST(bound.control == 0u);
  BOOST_TEST(bound.data == 280'700'006u);
  BOOST_TEST(bound.total() == 293'700'006u);
}

// Two pcie_eps store what passes (spec 2.6). 4096 bytes = 16 flits, a write by a PE: three parts.
//   1: pe_dma -256- r0c0 2 -128- conn -128- ucie-N 8 -512, 2 mm- io_ucie 8 -128- conn -128- io_noc
//       -256- pcie_ep
//      last link of 128 GB/s: first flit there at 1 + 2 + 2 + 2 + 8 + 0.5 + 0.2 + 8 + 2 = 25.7; +
//          32 + 1 = 58.7 ns + 6 fs; stored:
//      + 5
//   2: -64, 5 ns- switch 5 -64, 5 ns- pcie_ep: (4 + 5 + 5) + 64 + 5 = 83; + 5
//   3: -256- io_noc -128- conn -128- io_ucie 8 -512, 2 mm- ucie-N 8 -128- conn -128- r0c0 2 -256-
//       hbm
//      (1 + 2 + 2 + 8 + 0.5 + 0.2 + 8 + 2) + 32 + 1 = 56.7 ns + 6 fs
BOOST_AUTO_TEST_CASE(a_write_to_another_sip_is_stored_twice_on_its_way) {
  RoutedMachine m;
  const Path& path = m.path("sip0.cube0.pe0.pe_dma", "sip1.cube0.hbm_ctrl.pe0");
  MessageBound bound = lower_bound(path, machine_message(m.graph, path, true, 0, 4096));
  BOOST_TEST(bound.data == 58'700'006u + 5 * ns + 83 * ns + 5 * ns + 56'700'006u);
  // The acknowledgement: routers and UCIe 2 + 8 + 8, twice, pcie_eps and switch 15, 104 mm in all,
  // 12 links of 0 mm.
  BOOST_TEST(bound.control == (36 + 15) * ns + 10'400'012u);

  RoutedMachine through("topology.yaml",
                        {{"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", "true"}});
  const Path& same = through.path("sip0.cube0.pe0.pe_dma", "sip1.cube0.hbm_ctrl.pe0");
  bound = lower_bound(same, machine_message(through.graph, same, true, 0, 4096));
  BOOST_TEST(bound.data < 160 * ns);  // once 64 ns of payload, not 64 and twice 32
}

// A foreign TCM is behind its PE's DMA, which charges nothing: r0c0 -256, 2.5 mm- r0c1 -256-
// pe_dma - pe_tcm.
BOOST_AUTO_TEST_CASE(a_foreign_tcm_is_reached_through_its_dma_free_of_charge) {
  RoutedMachine m;
  const Path& path = m.path("sip0.cube0.pe0.pe_dma", "sip0.cube0.pe1.pe_tcm");
  BOOST_TEST(path.target_position() == 4u);
  const MessageBound bound = lower_bound(path, machine_message(m.graph, path, false, 0, 256));
  BOOST_TEST(bound.control == 4'250'002u);        // 1 fs + 2 + 0.25 + 2 + 1 fs
  BOOST_TEST(bound.data == 4'250'002u + 3 * ns);  // and a flit on three links
}

BOOST_AUTO_TEST_SUITE_END()
