// 24 PEs behind one UCIe port of 8 ns (spec 2.4, second worked example): the PEs of the cubes 4, 8
// and 12 read from the cube above them, 256 B at a time, each with eight requests outstanding. All
// 1536 responses, and the requests in the other direction, cross the port between cubes 0 and 4.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "platform/traffic/traffic_generator.h"
#include "tests/support/forked.h"
#include "tests/traffic/traffic_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(shared_port_test)

namespace {

constexpr double messages = 24 * 64, bytes = 256;
const std::string port = "cube.ucie.port.attrs.";

// Time of all reads in ns.
double makespan(std::vector<Override> overrides) {
  return forked_value([&overrides] {
    overrides.push_back({"cube.pe_template.components.pe_dma.attrs.rd_engines", "8"});
    TrafficMachine machine("topology.yaml", overrides);
    TrafficRecipe recipe;
    recipe.pattern = TrafficPattern::closed_loop;
    recipe.initiators = {"sip0.cube4.*.pe_dma", "sip0.cube8.*.pe_dma", "sip0.cube12.*.pe_dma"};
    recipe.targets = {"sip0.cube0.hbm_ctrl.*"};
    recipe.size_bytes = 256;
    recipe.max_outstanding = 8;
    TrafficGenerator generator(recipe, *machine.platform);
    Fs last = 0;
    for (const TrafficResult& result : machine.play(generator)) last = std::max(last, result.end);
    return to_ns(last);
  });
}

bool near(double a, double b, double tolerance) { return std::abs(a - b) < tolerance; }

}  // namespace

// Each response holds the port for 8 ns. 153.2 ns: until the first is there, and from the last one
// to its PE in cube 12.
BOOST_AUTO_TEST_CASE(one_server_of_8_ns_carries_32_gbs) {
  const double ns = makespan({});
  BOOST_TEST(ns > messages * 8);
  BOOST_TEST(near(ns, messages * 8 + 153.2, 0.01), ns);
  BOOST_TEST(near(messages * bytes / ns, 31.6, 0.05));
}

// With latency and occupancy apart the port delays each response once. The next limit: three
// quarters of the responses, those of cubes 8 and 12 and of two PEs of cube 4, leave it by one
// connection of 128 GB/s, 2 ns each.
BOOST_AUTO_TEST_CASE(a_pipelined_port_of_8_ns_is_no_limit) {
  const double ns = makespan(
      {{port + "overhead_ns", "0"}, {port + "latency_ns", "8"}, {port + "occupancy_ns", "0.5"}});
  BOOST_TEST(ns > messages * 3 / 4 * 2);
  BOOST_TEST(near(messages * bytes / ns, 144.6, 0.05), ns);
}

BOOST_AUTO_TEST_SUITE_END()
