// An 8 x 8 mesh of virtual-channel routers against BookSim 2 (commit 28f4329, 2017-06-27): uniform
// traffic of one-flit packets, dimension-order routes (x first), a Bernoulli source at each node.
// BookSim's router there: iq, 8 virtual channels of 8 flits, islip, one iteration, routing_delay 0,
// vc_alloc_delay 1, sw_alloc_delay 1, st_final_delay 1, no speed-up, wait_for_tail_credit 0, links
// of one cycle.
//
// Latency at zero load over R routers: here 4 R + 1 cycles (3 in each router with pipeline_cycles
// 2, 1 on each of R + 1 links), there 4 R + 2 (one more at the source): one cycle is added here.
// BookSim's uniform traffic includes the own node, here not: a destination is 16/3 instead of 21/4
// hops away on average, so that 4/12 of a cycle is added there.
#include <boost/test/unit_test.hpp>
#include <random>

#include "models/noc/vc_router.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mesh_latency)

namespace {

constexpr int k = 8;
constexpr Fs cycle = 1000;
constexpr Fs warm_up = 500 * cycle, measured = 1500 * cycle;

std::string name(char kind, int x, int y) {
  return std::string(1, kind) + static_cast<char>('0' + x) + static_cast<char>('0' + y);
}

std::vector<std::string> route(int from, int to) {
  int x = from % k, y = from / k;
  std::vector<std::string> nodes{name('n', x, y), name('r', x, y)};
  while (x != to % k) {
    x += x < to % k ? 1 : -1;
    nodes.push_back(name('r', x, y));
  }
  while (y != to / k) {
    y += y < to / k ? 1 : -1;
    nodes.push_back(name('r', x, y));
  }
  nodes.push_back(name('n', x, y));
  return nodes;
}

// Mean latency in cycles of the packets of the measured window. Both halves of the 16 virtual
// channels have 8: requests use one of them.
double mean_latency(double load) {
  return forked_value(
      [load] {
        std::vector<std::string> names;
        for (const char kind : {'n', 'r'}) {
          for (int i = 0; i < k * k; ++i) names.push_back(name(kind, i % k, i / k));
        }
        MiniMachine machine(names, 16);
        std::vector<StubNode*> nodes;
        const MiniLink link{"0", cycle};
        for (int i = 0; i < k * k; ++i) {
          const int x = i % k, y = i / k;
          nodes.push_back(&machine.stub(name('n', x, y)));
          machine.add<VcRouter>(name('r', x, y), {{"clock_ghz", "1000"},
                                                  {"virtual_channels", "16"},
                                                  {"buffer_flits", "8"},
                                                  {"allocator", "islip"}});
          machine.connect(name('n', x, y), name('r', x, y), link);
          if (x > 0) machine.connect(name('r', x - 1, y), name('r', x, y), link);
          if (y > 0) machine.connect(name('r', x, y - 1), name('r', x, y), link);
        }
        for (int from = 0; from < k * k; ++from) {
          for (int to = 0; to < k * k; ++to) {
            if (from != to) machine.set_path(route(from, to));
          }
        }
        machine.elaborate();
        std::mt19937 random(1);
        std::bernoulli_distribution sends(load);
        std::uniform_int_distribution<int> other(1, k * k - 1);
        for (Fs at = cycle; at < warm_up + measured; at += cycle) {
          for (int from = 0; from < k * k; ++from) {
            if (!sends(random)) continue;
            const int to = (from + other(random)) % (k * k);
            nodes[static_cast<std::size_t>(from)]->send_at(
                machine.write(name('n', from % k, from / k), name('n', to % k, to / k), 0, 16, at),
                at);
          }
        }
        machine.run();
        double sum = 0;
        std::size_t packets = 0;
        for (const StubNode* node : nodes) {
          for (const Received& received : node->records()) {
            if (received.key.issued < warm_up) continue;
            sum += static_cast<double>(received.time - received.key.issued) / cycle;
            ++packets;
          }
        }
        return sum / static_cast<double>(packets);
      },
      std::chrono::seconds(60));
}

}  // namespace

BOOST_AUTO_TEST_CASE(uniform_traffic_has_the_latency_of_booksim) {
  for (const auto& [load, booksim] :
       std::vector<std::pair<double, double>>{{0.1, 27.20}, {0.2, 27.83}, {0.3, 29.27}}) {
    const double latency = mean_latency(load) + 1;
    BOOST_TEST_MESSAGE("load " << load << ": " << latency << " cycles");
    BOOST_TEST(latency == booksim + 4.0 / 12, boost::test_tools::tolerance(0.02));
  }
}

BOOST_AUTO_TEST_SUITE_END()
