// An 8 x 8 mesh of virtual-channel routers against BookSim 2 (commit 28f4329, 2017-06-27): uniform
// traffic of one-flit packets, dimension-order routes (x first), a Bernoulli source at each node.
// BookSim's router there: iq, 8 virtual channels of 8 flits, islip, one iteration, routing_delay 0,
// vc_alloc_delay 1, sw_alloc_delay 1, st_final_delay 1, no speed-up, wait_for_tail_credit 0, links
// of one cycle.
//
// Latency at zero load over R routers: here 4 R + 1 cycles (3 in each router with pipeline_cycles
// 2, 1 on each of R + 1 links), there 4 R + 2 (one more at the source): one cycle is added here.
// As there, uniform traffic and hot spot include the own node, and the diagonal of transpose sends
// to itself (R = 1).
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
constexpr Fs after = 100 * cycle;  // the load goes on while the measured packets travel

enum class Pattern { uniform, transpose, hot_spot };

struct Traffic {
  Pattern pattern;
  double load;  // flits per node and cycle
  std::uint32_t flits = 1;
  int measured = 1500;  // cycles
  int warm_up = 500;    // cycles
};

std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
  return out << (traffic.pattern == Pattern::uniform     ? "uniform"
                 : traffic.pattern == Pattern::transpose ? "transpose"
                                                         : "hot spot")
             << ", load " << traffic.load << ", flits " << traffic.flits;
}

struct Result {
  double latency;   // cycles, mean of the packets generated in the measured window
  double accepted;  // flits per node and cycle that arrived in it
};

int destination(Pattern pattern, int from, std::mt19937& random) {
  if (pattern == Pattern::transpose) return from % k * k + from / k;
  // Weight 4 of node 36, weight 1 of each other.
  const int last = pattern == Pattern::hot_spot ? k * k + 2 : k * k - 1;
  const int drawn = std::uniform_int_distribution<int>(0, last)(random);
  return drawn < k * k ? drawn : 36;
}

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

// Both halves of the 16 virtual channels have 8: requests use one of them.
Result run(const Traffic& traffic) {
  const std::vector<double> values = forked_value(
      [&traffic] {
        const Fs warm_up = traffic.warm_up * cycle, end = warm_up + traffic.measured * cycle;
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
            machine.set_path(route(from, to));
          }
        }
        machine.elaborate();
        std::mt19937 random(1);
        std::bernoulli_distribution sends(traffic.load / traffic.flits);
        std::vector<Fs> free(k * k);  // of the sources, whose queues have no limit
        for (Fs at = cycle; at < end + after; at += cycle) {
          for (int from = 0; from < k * k; ++from) {
            if (!sends(random)) continue;
            const int to = destination(traffic.pattern, from, random);
            const auto source = static_cast<std::size_t>(from);
            Transaction& packet =
                machine.write(name('n', from % k, from / k), name('n', to % k, to / k), 0,
                              16 * traffic.flits, at);
            Fs start = std::max(at, free[source]);
            for (std::uint32_t flit = 0; flit < traffic.flits; ++flit, start += cycle)
              nodes[source]->send_flit_at(packet, flit, start);
            free[source] = start;
          }
        }
        machine.run();
        double sum = 0, packets = 0, arrived = 0;
        for (const StubNode* node : nodes) {
          for (const Received& received : node->records()) {
            if (received.time >= warm_up && received.time < end) ++arrived;
            if (received.key.issued < warm_up || received.key.issued >= end) continue;
            if (received.flit + 1 != traffic.flits) continue;
            sum += static_cast<double>(received.time - received.key.issued) / cycle;
            ++packets;
          }
        }
        return std::vector<double>{sum / packets, arrived / (k * k * traffic.measured)};
      },
      std::chrono::seconds(60));
  return {values[0] + 1, values[1]};
}

}  // namespace

// Goal: 10 % up to 80 % of saturation (0.43 uniform, 1/7 transpose, 0.26 hot spot).
BOOST_AUTO_TEST_CASE(latency_is_that_of_booksim) {
  struct Case {
    Traffic traffic;
    double booksim;  // cycles
    double tolerance;
  };
  for (const auto& [traffic, booksim, tolerance] :
       std::vector<Case>{{{Pattern::uniform, 0.005, 1, 12000}, 26.78, 0.02},
                         {{Pattern::uniform, 0.1}, 27.20, 0.02},
                         {{Pattern::uniform, 0.2}, 27.83, 0.02},
                         {{Pattern::uniform, 0.3}, 29.27, 0.02},
                         {{Pattern::uniform, 0.35}, 31.10, 0.02},
                         {{Pattern::uniform, 0.4, 1, 3000}, 38.34, 0.10},
                         {{Pattern::transpose, 0.05}, 27.25, 0.02},
                         {{Pattern::transpose, 0.1}, 27.38, 0.02},
                         {{Pattern::transpose, 0.12}, 27.79, 0.02},
                         {{Pattern::hot_spot, 0.1}, 27.07, 0.02},
                         {{Pattern::hot_spot, 0.2}, 27.98, 0.02},
                         {{Pattern::uniform, 0.1, 4}, 31.39, 0.03},
                         {{Pattern::uniform, 0.2, 4}, 34.50, 0.03},
                         {{Pattern::uniform, 0.3, 4}, 41.26, 0.05}}) {
    const double latency = run(traffic).latency;
    BOOST_TEST_MESSAGE(traffic << ": latency " << latency);
    BOOST_TEST_CONTEXT(traffic) {
      BOOST_TEST(latency == booksim, boost::test_tools::tolerance(tolerance));
    }
  }
}

BOOST_AUTO_TEST_CASE(accepted_rate_in_overload_is_that_of_booksim) {
  for (const auto& [traffic, booksim] :
       std::vector<std::pair<Traffic, double>>{{{Pattern::uniform, 0.44, 1, 1500, 2000}, 0.428},
                                               {{Pattern::uniform, 0.6, 1, 1500, 2000}, 0.400},
                                               {{Pattern::uniform, 0.6, 4, 1500, 2000}, 0.408},
                                               {{Pattern::transpose, 0.3, 1, 1500, 2000}, 0.2183},
                                               {{Pattern::hot_spot, 0.4, 1, 1500, 2000}, 0.2301}}) {
    const double accepted = run(traffic).accepted;
    BOOST_TEST_MESSAGE(traffic << ": accepted " << accepted);
    BOOST_TEST_CONTEXT(traffic) {
      BOOST_TEST(accepted == booksim, boost::test_tools::tolerance(0.05));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
