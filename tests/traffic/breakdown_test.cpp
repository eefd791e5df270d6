// The parts of a latency (spec 11.3): derived by hand, and that they always add up.
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "platform/observe/latency_breakdown.h"
#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

namespace {

constexpr Fs ns(double value) { return static_cast<Fs>(value * 1e6 + 0.5); }

using Row = std::vector<std::uint64_t>;  // pe_setup, noc, ucie, fabric, wire, hbm, contention

Row row_of(const LatencyParts& parts) {
  Row row;
  for (std::size_t i = 0; i < latency_part_count; ++i) row.push_back(parts[static_cast<LatencyPart>(i)]);
  return row;
}

class Taken final : public TrafficListener {
 public:
  explicit Taken(Platform& platform) : watch_(platform), breakdown_(platform, watch_) {}
  void ended(const TrafficResult& result) override {
    const TrafficRequest& request = result.request;
    const LatencyParts taken = breakdown_.take(traffic_key(request.issue, request.id), request.issue, result.grant, result.end);
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
  TransferWatch watch_;
  LatencyBreakdown breakdown_;
};

std::vector<LatencyParts> parts_of(TrafficMachine& m, TrafficSource& source) {
  Taken taken(*m.platform);
  TrafficPlayer player("traffic", *m.platform, source, taken);
  const RunResult result = m.platform->run();
  if (result.cause) std::rethrow_exception(result.cause);
  return taken.parts;
}

std::vector<LatencyParts> parts_of(const std::string& rows, const std::string& topology = "topology.yaml",
                                   const std::vector<Override>& overrides = {}) {
  TrafficMachine m(topology, overrides);
  const TemporaryCsv csv(csv_header + rows);
  TrafficFile file(csv.path(), *m.platform);
  file.check();
  return parts_of(m, file);
}

void check(const LatencyParts& parts, const Row& expected) {
  BOOST_TEST(row_of(parts) == expected, boost::test_tools::per_element());
}

const std::string pe0 = "sip0.cube0.pe0.pe_dma,", pe1 = "sip0.cube0.pe1.pe_dma,";

}  // namespace

BOOST_AUTO_TEST_SUITE(breakdown)

// 15 ns + 4 fs (traffic_times): DMA 1; routers 2 + 2 and four wires of 1 fs; two wires of 1 ns; a burst of 8.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_one_flit) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n").at(0), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
}

// 30 ns + 4 fs. Command: 1, router 2. Bursts of the last flit until 19: 8 for the first on its channel, 8 for its own. The last
// flit leaves the controller at 19, the wire at 27 behind those before it; the router lets it through at once, for the first flit
// has long been gone; its wire is taken by those before it until 29, and by itself until 30: 8 + 3 ns on or for wires.
KERNBENCH_SYSTEMC_TEST(a_local_read_of_sixteen_flits) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,4096\n").at(0), {ns(1), ns(2) + 4, 0, 0, ns(11), ns(16), 0});
}

// Write: the last of 16 flits leaves the DMA's wire at 17, is through the router at once, has the wire to the HBM at 19 to 20 +2
// and its burst until 28 +2; the acknowledgement pays the router: 2 +2.
KERNBENCH_SYSTEMC_TEST(a_local_write_of_sixteen_flits) {
  check(parts_of("0," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,0,4096\n").at(0), {ns(1), ns(2) + 4, 0, 0, ns(19), ns(8), 0});
}

// 87.5 ns + 12 fs. NoC: routers 7 * 2 twice, mesh wires 1.4 twice, PE and HBM wires 1 fs, four. UCIe: two ports of 8 and the seam
// of 0.1 ns twice, conn wires of 1 fs, eight. Wires of the data: 15.5.
KERNBENCH_SYSTEMC_TEST(a_read_in_the_next_cube) {
  check(parts_of("0," + pe0 + "read,sip0.cube1.hbm_ctrl.pe0,0,256\n").at(0),
        {ns(1), ns(30.8) + 4, ns(32.2) + 8, 0, ns(15.5), ns(8), 0});
}

// Posted: 42.7 ns + 6 fs. End point 5; io_ucie, 0.2 mm of 2 mm and UCIe-N: 16.2 and its conn wires; the second flit is delayed by
// its own first one at io_ucie (12 to 18) and at UCIe-N (19.2 to 26.7) and at the router (32.7, at once): that is the ports' time:
// 6 + 7.5; on or for wires 1 + 1, 3, 2, 1, 4, 2, 2. Wires: 7 - 5, 10 - 7 and 12 - 10, 19 - 18, 28.7 - 26.7 and 30.7, 32.7, 34.7.
KERNBENCH_SYSTEMC_TEST(a_write_of_the_host) {
  // wires without length: pcie_ep > io_noc > conn > io_ucie are fabric; ucie-N > conn > router UCIe; router > hbm NoC.
  check(parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,512\n").at(0),
        {ns(5), 1, ns(6 + 0.2 + 7.5) + 2, 3, ns(2 + 3 + 2 + 1 + 2 + 2 + 2 + 2), ns(8), 0});
}

// The own TCM has no way at all.
KERNBENCH_SYSTEMC_TEST(the_own_tcm) {
  check(parts_of("0," + pe0 + "read,sip0.cube0.pe0.pe_tcm,0,512\n").at(0), {ns(1), 0, 0, 0, 0, 0, 0});
}

KERNBENCH_SYSTEMC_TEST(the_wait_for_the_channel_is_contention) {
  const auto parts = parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n");
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), ns(15) + 4});
}

// Two PEs read one burst of the same channel. PE1's command comes 0.25 + 2 ns (a hop more) behind PE0's at 3+2, at 5.25+2, and
// waits until 11+2 for PE0's burst.
KERNBENCH_SYSTEMC_TEST(bursts_of_others_are_contention) {
  const auto parts =
      parts_of("0," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n0," + pe1 + "read,sip0.cube0.hbm_ctrl.pe0,2048,256\n");
  check(parts.at(0), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
  check(parts.at(1), {ns(1), ns(8.5) + 4, 0, 0, ns(3), ns(8), ns(5.75)});
}

// A change of direction after others' bursts is the memory's time, not contention.
KERNBENCH_SYSTEMC_TEST(the_switch_penalty_is_the_memorys) {
  const auto parts =
      parts_of("0," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,0,256\n100," + pe0 + "read,sip0.cube0.hbm_ctrl.pe0,0,256\n",
               "topology.tiny.yaml", {{"cube.components.hbm_ctrl.attrs.switch_penalty_ns", "5"}});
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(13), 0});
}

// A PE's flit holds the router from 30.7+1 to 32.7+1, when the host's first one comes at 30.7+5, which then holds it until 34.7+1
// (see traffic_times). The second flit comes at 32.7+5, when its own first one holds it: nothing of it waits for the PE there. On
// the wire to the HBM it is behind its own first one: 34.7+1 to 36.7+1.
KERNBENCH_SYSTEMC_TEST(a_router_shared_with_a_pe) {
  const auto parts =
      parts_of("0,sip0.io0.pcie_ep,write,sip0.cube0.hbm_ctrl.pe0,0,512\n28.7," + pe0 + "write,sip0.cube0.hbm_ctrl.pe0,1024,256\n");
  check(parts.at(0), {ns(5), ns(2) + 1 - 4, ns(13.7) + 2, 3, ns(16), ns(8), 0});
  check(parts.at(1), {ns(1), ns(4) + 4, 0, 0, ns(2), ns(8), 0});
}

// --- Whatever the traffic, the parts add up to the latency (checked in Taken), and watching changes no time.

RC_BOOST_PROP(the_parts_add_up_to_the_latency, ()) {
  TrafficRecipe recipe;
  recipe.pattern =
      *rc::gen::element(TrafficPattern::random, TrafficPattern::hotspot, TrafficPattern::closed_loop, TrafficPattern::stream);
  recipe.initiators = {"sip0.cube0.pe*.pe_dma", "sip0.io0.pcie_ep"};
  recipe.targets =
      *rc::gen::elementOf(std::vector<std::vector<std::string>>{{}, {"*.hbm_ctrl.pe[0-2]", "*.sram", "*.pe[0-3].pe_tcm"}});
  recipe.requests = *rc::gen::inRange<std::uint64_t>(1, 10);
  recipe.size_bytes = *rc::gen::element<std::uint64_t>(1, 100, 256, 700, 4096, 20000);
  recipe.rate_gbs = Rational::parse(*rc::gen::element<std::string>("0", "100", "10"));
  recipe.read_share = Rational::parse(*rc::gen::element<std::string>("0", "1", "0.5"));
  recipe.max_outstanding = 3;
  recipe.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const std::vector<Override> overrides{
      {"cube.components.hbm_ctrl.attrs.switch_penalty_ns", *rc::gen::element<std::string>("0", "7")},
      {"cube.components.hbm_ctrl.attrs.overhead_ns", *rc::gen::element<std::string>("0", "3")},
      {"sip.io_chiplets.io0.components.pcie_ep.attrs.cut_through", *rc::gen::element<std::string>("true", "false")},
      {"cube.pe_template.links", *rc::gen::element<std::string>("{}", "{pe_dma_to_pe_tcm: {bw_gbs: 512.0, distance_mm: 0.5}}")}};
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
KERNBENCH_SYSTEMC_TEST(a_request_alone_has_no_contention) {
  const std::vector<std::string> initiators{"sip0.cube0.pe0.pe_dma", "sip0.cube5.pe7.pe_dma", "sip1.io0.pcie_ep"};
  const std::vector<std::string> targets{"sip0.cube0.hbm_ctrl.pe3", "sip1.cube3.hbm_ctrl.pe0", "sip1.cube0.sram",
                                         "sip0.cube2.pe1.pe_tcm", "sip0.cube0.pe0.pe_tcm"};
  std::string rows;
  int at_us = 0;
  for (const std::string& initiator : initiators) {
    for (const std::string& target : targets) {
      for (const char* op : {"read", "write"}) {
        for (const int bytes : {1, 256, 5000, 40000}) {
          at_us += 100;
          rows += std::to_string(at_us) + "000," + initiator + "," + op + "," + target + "," + std::to_string(bytes * 3) + "," +
                  std::to_string(bytes) + "\n";
        }
      }
    }
  }
  const auto parts = parts_of(rows);
  BOOST_TEST(parts.size() == 120u);
  for (std::size_t id = 0; id < parts.size(); ++id) BOOST_TEST(parts[id][LatencyPart::contention] == 0u, "request " << id);
}

BOOST_AUTO_TEST_SUITE_END()
