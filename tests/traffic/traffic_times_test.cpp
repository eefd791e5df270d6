// Times of requests on the default machine, derived by hand from spec 2.2 to 2.7.
//
// The numbers of the default machine: a flit of 256 B takes 1 ns on links of 256 GB/s (PE, mesh,
// HBM), 2 ns at 128 (SRAM, UCIe connections), 0.5 at 512 (between UCIe ports), 4 at 64 (PCIe); a
// link without length delays by 1 fs; pe_dma 1 ns, router 2, UCIe port 8, PCIe end point and switch
// 5, SRAM 2; a burst takes 256 B * 8 / 256 GB/s = 8 ns. "+4" behind a time means 4 fs more.
#include <boost/test/unit_test.hpp>

#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(traffic_times)

namespace {

constexpr Fs ns(double value) { return static_cast<Fs>(value * 1e6 + 0.5); }

std::string row(const std::string& at, const std::string& initiator, const std::string& op,
                const std::string& target, unsigned offset, unsigned bytes) {
  return at + "," + initiator + "," + op + "," + target + "," + std::to_string(offset) + "," +
         std::to_string(bytes) + "\n";
}

const std::string pe0 = "sip0.cube0.pe0.pe_dma", pe1 = "sip0.cube0.pe1.pe_dma",
                  hbm0 = "sip0.cube0.hbm_ctrl.pe0", hbm1 = "sip0.cube0.hbm_ctrl.pe1",
                  sram = "sip0.cube0.sram", host0 = "sip0.io0.pcie_ep";

// The latency of one request alone.
Fs alone(const std::string& initiator, const std::string& op, const std::string& target,
         unsigned offset, unsigned bytes, const std::vector<Override>& overrides = {}) {
  return TrafficMachine("topology.tiny.yaml", overrides)
      .play(row("0", initiator, op, target, offset, bytes))
      .at(0)
      .latency();
}
// The same of a read by PE 0 from another cube, of two SIPs with two each.
Fs read_alone(const std::string& target, unsigned bytes, std::vector<Override> overrides = {}) {
  overrides.insert(overrides.end(), {{"system.sips.count", "2"}, {"sip.cube_mesh.w", "2"}});
  return alone(pe0, "read", target, 0, bytes, overrides);
}

}  // namespace

// pe_dma 1, link +1, router 2, link +1: command at the HBM at 3+2; burst 8; flit 1 ns to the router
// +1, router 2, flit 1 ns +1.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_one_flit) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 256) == ns(15) + 4);
}

// Flit 1 ns at 1, router 2 +1, flit 1 ns: at the HBM at 5+2, burst 8; the acknowledgement +1, 2,
// +1.
KERNBENCH_SYSTEMC_TEST(a_local_write_of_one_flit) {
  BOOST_TEST(alone(pe0, "write", hbm0, 0, 256) == ns(15) + 4);
}

// 16 flits on 8 channels. Bursts of flits 0..7 end at 11+2, of 8..15 at 19+2: the link to the
// router is never idle, flit k leaves at 12+k. The router holds the first until 14+3; then flit k
// leaves at 15+k, the last at 30+3, +1.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_sixteen_flits) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 4096) == ns(30) + 4);
}

// Flit k is at the HBM at 5+k (+2); the last at 20+2, when flit 7's burst on its channel has just
// ended; commit at 28+2, acknowledgement 2+2.
KERNBENCH_SYSTEMC_TEST(a_local_write_of_sixteen_flits) {
  BOOST_TEST(alone(pe0, "write", hbm0, 0, 4096) == ns(30) + 4);
}

// Flits of 156 and 100 B, cut at 256: 0.609375 and 0.390625 ns. Ready at 11+2, the second leaves at
// 12, the router lets both go at 11 + 0.609375 + 2; from there 1 ns for both.
KERNBENCH_SYSTEMC_TEST(an_unaligned_read_has_two_short_flits) {
  BOOST_TEST(alone(pe0, "read", hbm0, 100, 256) == ns(14.609375) + 4);
}

// One mesh hop of 2.5 mm, 0.25 ns. Command 1 + 2 + 0.25 + 2 (+2), burst 8, data 1 + 2 + 1 + 0.25 +
// 2 + 1 (+2).
KERNBENCH_SYSTEMC_TEST(a_read_in_the_same_cube) {
  BOOST_TEST(alone(pe0, "read", hbm1, 0, 256) == ns(20.5) + 4);
}

// r0c0 to r0c5 (14 mm), UCIe-E, 1 mm seam, UCIe-W, r0c0. Command: 1 + 6 * 2 + 8 + 8 + 2 + 1.4 + 0.1
// (+6) = 32.5; burst 8; data: links 1 + 2 + 2 + 0.5 + 2 + 2 + 5 * 1 + 1 = 15.5, overheads 2 + 16 +
// 12 = 30, lengths 1.5 (+6).
KERNBENCH_SYSTEMC_TEST(a_read_in_the_next_cube) {
  BOOST_TEST(read_alone("sip0.cube1.hbm_ctrl.pe0", 256) == ns(87.5) + 12);
}

// Both PCIe end points take the whole message before they pass it on.
// Command: 1, router 2, UCIe-N 8, 0.2, io_ucie 8, end point 5, 5 (50 mm), switch 5, 5, end point 5,
// io_ucie 8, 0.2, UCIe-N 8, router 2 (+12) = 62.4; bursts 8: 70.4. Data, behind that, the second of
// two flits: HBM link 2, router 3, connections 7, 9, UCIe-N 15, 16, 16.2, io_ucie 23.7,
// connections 27.7, 29.7, end point 30.7 and 5: 35.7; both flits again: 43.7, 48.7,
// switch 49.7, 57.7, 62.7, end point 67.7, 69.7, connections 72.7, 74.7, io_ucie 80.7, 81.7, 81.9,
// UCIe-N 89.4, connections 93.4, 95.4, router 95.4, 97.4 (+12).
KERNBENCH_SYSTEMC_TEST(a_read_in_another_sip_is_stored_and_forwarded_twice) {
  BOOST_TEST(read_alone("sip1.cube0.hbm_ctrl.pe0", 512) == ns(167.8) + 24);
}

// Flit by flit instead. First end point: first flit 28.7 + 5, second with it 33.7; 41.7, 46.7,
// switch 47.7, 55.7, 60.7; second end point: first flit 56.7 + 5 = 61.7, second with it: 6 ns
// earlier than above.
KERNBENCH_SYSTEMC_TEST(a_read_in_another_sip_cuts_through_if_the_end_points_do) {
  BOOST_TEST(read_alone("sip1.cube0.hbm_ctrl.pe0", 512,
                        {{"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", "true"}}) ==
             ns(161.8) + 24);
}

// Over UAL, 3 ns an end point, 25 mm (2.5 ns) and 128 GB/s (2 ns a flit) to the switch: shorter
// than the 50 mm of PCIe. Command: 1, 2, 8, 0.2, 8, end point 3, 2.5, switch 5, 2.5, end point 3,
// 8, 0.2, 8, 2 (+12) = 53.4; bursts 8: 61.4. Data: at the end point as above 30.7, and 3: 33.7;
// both flits again 35.7, 37.7, at the switch 38.2, 40.2; first flit 43.2, second with
// it; 45.2, 47.2, at the end point 47.7, 49.7, and 3: 52.7. From there on as from the 67.7
// above: 29.7 more (+12).
KERNBENCH_SYSTEMC_TEST(a_read_in_another_sip_over_ual) {
  const std::string io = "sip.io_chiplets.io0.";
  BOOST_TEST(
      read_alone("sip1.cube0.hbm_ctrl.pe0", 512,
                 {{io + "components.ual_ep", "{impl: builtin.ual_ep, attrs: {overhead_ns: 3}}"},
                  {io + "links.ual_ep_to_noc_bw_gbs", "256"},
                  {"system.links.io_ual_to_switch", "{bw_gbs: 128, distance_mm: 25}"}}) ==
      ns(143.8) + 24);
}

// Three mesh hops (2.5, 1.5, 3 mm: 0.7 ns). 1; links 1 + 3 * 1 + 2, routers 4 * 2, SRAM 2: 17.7
// (+2); acknowledgement 8 + 0.7 (+2).
KERNBENCH_SYSTEMC_TEST(a_write_to_the_sram) {
  BOOST_TEST(alone(pe0, "write", sram, 0, 256) == ns(26.4) + 4);
}

// Command 1 + 8 + 0.7 (+2), SRAM 2, data 2 + 3 * 1 + 1, routers 8, 0.7 (+2).
KERNBENCH_SYSTEMC_TEST(a_read_of_the_sram) {
  BOOST_TEST(alone(pe0, "read", sram, 0, 256) == ns(26.4) + 4);
}

// The edge to the own TCM has neither length nor bandwidth: what is left is pe_dma's overhead.
KERNBENCH_SYSTEMC_TEST(the_own_tcm) {
  BOOST_TEST(alone(pe0, "read", "sip0.cube0.pe0.pe_tcm", 0, 512) == ns(1));
}

// 1; two flits: 2, 3 (+1); router 4; 5, 6, 0.25; router 7.25; 8.25, 9.25 (+1), through the other
// PE_DMA at once; acknowledgement 2
// + 0.25 + 2 (+2).
KERNBENCH_SYSTEMC_TEST(the_tcm_of_another_pe) {
  BOOST_TEST(alone(pe1, "write", "sip0.cube0.pe0.pe_tcm", 0, 512) == ns(13.5) + 4);
}

// Posted. 5; 6, 7; connections 10, 12; io_ucie 18, 19, 0.2; UCIe-N 26.7; connections 30.7, 32.7;
// router 32.7; 33.7, 34.7; burst 8
// (+6).
KERNBENCH_SYSTEMC_TEST(a_write_of_the_host) {
  BOOST_TEST(alone(host0, "write", hbm0, 0, 512) == ns(42.7) + 6);
}

// The write of the host as above reaches the router r0c0 at 30.7+5; a PE's flit, issued at 28.7,
// at 30.7+1: it holds the router until 32.7+1, then the host's first flit until 34.7+1, and the
// second with it. On the link to the HBM these take 2 ns, +1, burst 8 on other channels than the
// PE's: 44.7+2. The PE notices nothing.
KERNBENCH_SYSTEMC_TEST(host_and_pe_share_a_router) {
  const auto results = TrafficMachine().play(row("0", host0, "write", hbm0, 0, 512) +
                                             row("28.7", pe0, "write", hbm0, 1024, 256));
  BOOST_TEST(results.at(0).latency() == ns(44.7) + 2);
  BOOST_TEST(results.at(1).latency() == ns(15) + 4);
}

KERNBENCH_SYSTEMC_TEST(sips_do_not_disturb_each_other) {
  const auto results =
      TrafficMachine("topology.yaml")
          .play(row("0", pe0, "read", hbm0, 0, 256) +
                row("0", "sip1.cube0.pe0.pe_dma", "read", "sip1.cube0.hbm_ctrl.pe0", 0, 256) +
                row("0", "sip1.cube15.pe7.pe_dma", "read", "sip1.cube15.hbm_ctrl.pe7", 0, 256));
  for (const TrafficResult& result : results) BOOST_TEST(result.end == ns(15) + 4);
}

// --- Order (spec 2.3, 2.6)

// A channel is held for the round trip; the next is granted at the instant of completion. The write
// channel is another.
KERNBENCH_SYSTEMC_TEST(a_dma_channel_is_held_until_completion) {
  const auto results = TrafficMachine().play(
      row("0", pe0, "read", hbm0, 0, 256) + row("0", pe0, "read", hbm0, 0, 256) +
      row("2", pe0, "read", hbm0, 0, 256) + row("13", pe0, "write", sram, 0, 256));
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(results[i].grant == i * (ns(15) + 4));
    BOOST_TEST(results[i].end == (i + 1) * (ns(15) + 4));
  }
  BOOST_TEST(results[3].grant == ns(13));
}

// Granted and injected together, in the order of the rows. Write first: its flits have the link
// until 3, the command comes behind: router 5+1, there it waits for the second flit, which leaves
// at 6+1; burst until 14+2, data 15, 17, 18 (+4). Commit at 14+2, acknowledgement 16+4.
KERNBENCH_SYSTEMC_TEST(write_and_read_of_one_instant_go_by_row) {
  const auto results = TrafficMachine().play(row("0", pe0, "write", hbm0, 0, 512) +
                                             row("0", pe0, "read", hbm0, 1024, 256));
  BOOST_TEST(results[0].end == ns(16) + 4);
  BOOST_TEST(results[1].end == ns(18) + 4);
}

// Read first: nothing delays it. The acknowledgement reaches the router's link at 16+3, when the
// data have left.
KERNBENCH_SYSTEMC_TEST(read_and_write_of_one_instant_go_by_row) {
  const auto results = TrafficMachine().play(row("0", pe0, "read", hbm0, 1024, 256) +
                                             row("0", pe0, "write", hbm0, 0, 512));
  BOOST_TEST(results[0].end == ns(15) + 4);
  BOOST_TEST(results[1].end == ns(16) + 4);
}

// At the end point 5, 6 and 7; connections 8, 10 and 10, 12; io_ucie until 18 and then until 26;
// UCIe-N 26.7 and 34.7; then 15 ns each.
KERNBENCH_SYSTEMC_TEST(requests_of_the_host_of_one_instant_go_by_row) {
  const auto results = TrafficMachine().play(row("0", host0, "write", hbm0, 0, 256) +
                                             row("0", host0, "write", hbm0, 256, 256));
  BOOST_TEST(results[0].end == ns(41.7) + 6);
  BOOST_TEST(results[1].end == ns(49.7) + 6);
  BOOST_TEST(results[1].grant == 0u);
}

// --- Ties

// pe1's command is at pe0's TCM at 2 * 2 + 0.25 ns and 2 fs, which answers at once. At that very
// instant pe0 starts a write: spec 2.3 has pe_dma before pe_tcm, so its flit takes the link for 1
// ns, the answer the next; and router r0c0 for 2 ns, the answer the next 2. Write: 1 + 2 + 1 ns to
// the HBM, burst 8, acknowledgement 2, 4 fs. Read from 4.25+2: at r0c0 2+1, served from 3+1, 5+1 on
// its way, 1.25 ns to r0c1, 2, 1 ns to pe1.
KERNBENCH_SYSTEMC_TEST(
    what_starts_at_a_pe_dma_goes_before_what_passes_from_its_tcm_at_the_same_instant) {
  const std::string dma = "cube.pe_template.components.pe_dma.attrs.overhead_ns";
  const auto results = TrafficMachine("topology.tiny.yaml", {{dma, "0"}})
                           .play(row("0", pe1, "read", "sip0.cube0.pe0.pe_tcm", 0, 256) +
                                 row("4.250002", pe0, "write", hbm0, 0, 256));
  BOOST_TEST(results[1].latency() == ns(14) + 4);
  BOOST_TEST(results[0].latency() == ns(4.25) + 2 + ns(5) + 1 + ns(4.25) + 1);
}

// --- Attributes

// The first use pays no penalty, a change after an idle gap does, another channel does not.
KERNBENCH_SYSTEMC_TEST(a_change_of_direction_pays_the_switch_penalty) {
  const auto results =
      TrafficMachine("topology.tiny.yaml",
                     {{"cube.components.hbm_ctrl.attrs.switch_penalty_ns", "5"}})
          .play(row("0", pe0, "write", hbm0, 0, 256) + row("100", pe0, "read", hbm0, 0, 256) +
                row("200", pe0, "read", hbm0, 0, 256) + row("300", pe0, "write", hbm0, 2048, 256) +
                row("400", pe0, "write", hbm0, 256, 256));
  const Fs expected[] = {15, 20, 15, 20, 15};
  for (int i = 0; i < 5; ++i) BOOST_TEST(results[i].latency() == expected[i] * fs_per_ns + 4);
}

KERNBENCH_SYSTEMC_TEST(routers_of_7_ns) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 256,
                   {{"cube.components.router.attrs.overhead_ns", "7"}}) == ns(25) + 4);
}
KERNBENCH_SYSTEMC_TEST(a_dma_of_3_ns) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 256,
                   {{"cube.pe_template.components.pe_dma.attrs.overhead_ns", "3"}}) == ns(17) + 4);
}
KERNBENCH_SYSTEMC_TEST(half_the_efficiency) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 256,
                   {{"cube.components.hbm_ctrl.attrs.efficiency", "0.5"}}) == ns(23) + 4);
}
// Two flits of 0.5 ns: 11.5, 12; router 13.5; 14, 14.5.
KERNBENCH_SYSTEMC_TEST(flits_of_128_bytes) {
  BOOST_TEST(alone(pe0, "read", hbm0, 0, 256, {{"system.flit_bytes", "128"}}) == ns(14.5) + 4);
}

// 64 flits by the port in the north: pe_dma 1, flit 1, router 2, connection and port 2 + 2, port 8,
// 2 + 2 to r0c5, router 2, 2 + 2 to the port in the east, 8, the seam 0.6, port 8, 2 + 2 to r0c0,
// router 2, 1: the first flit at the HBM at 49.6. The other 63 follow 2 apart, 2 earlier: no router
// holds them. Burst 8; the acknowledgement passes routers r0c0, r0c5, r0c0 and ports W, E, N: 6 +
// 24 + 0.1.
KERNBENCH_SYSTEMC_TEST(a_write_over_the_first_lanes) {
  const std::vector<Override> first{{"sip.cube_mesh.w", "2"}, {"cube.ucie.lane_select", "first"}};
  const Fs time = alone(pe0, "write", "sip0.cube1.hbm_ctrl.pe0", 0, 16384, first);
  BOOST_TEST(time - ns(49.6 + 63 * 2 - 2 + 8 + 30.1) < 32);  // links without length: 1 fs each
  BOOST_TEST(time >= ns(49.6 + 63 * 2 - 2 + 8 + 30.1));
}

BOOST_AUTO_TEST_SUITE_END()
