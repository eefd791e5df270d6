// The router in SystemVerilog alone (models/rtl/sv/kernbench_router.sv): delivery, channels,
// credits, fairness, and the rules of its pins by name.
#include "models/rtl/verilator_runtime.h"
// The runtime of Verilator comes first.
#include <Vround_robin_3.h>
#include <Vround_robin_8.h>
#include <Vrouter_3.h>
#include <Vrouter_8.h>
#include <Vrouter_careless.h>
#include <Vrouter_one.h>

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/rtl/router_bench.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(router_array)

namespace {

using Router3 = RouterBench<Vrouter_3, 3, 4, 4>;
using Router8 = RouterBench<Vrouter_8, 8, 4, 4>;
using RouterOne = RouterBench<Vrouter_one, 4, 1, 1>;  // one channel of one place
using Routers = boost::mpl::list<Router3, Router8, RouterOne>;

template <class Bench>
void add_random_packets(Bench& bench, unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  for (unsigned i = 0; i < count; ++i) {
    TestPacket packet;
    packet.in = below(Bench::ports);
    packet.out = below(Bench::ports);
    packet.control = below(5) == 0;
    packet.flits = packet.control ? 1 : 1 + below(9);
    packet.response = below(2) == 1;
    bench.add(packet);
  }
}

// The rule that a stimulus breaks; "": none.
template <class Stimulus>
std::string broken(Stimulus stimulus) {
  return error_of<RuleBroken>(stimulus);
}

template <class Model>
struct Arbiter : private BlockCalls {
  Arbiter() {
    Verilated::threadContextp(&context);
    model = std::make_unique<Model>(&context, "top");
    step(false, 0, false);
  }
  void settle(unsigned request, bool turn) {
    model->clk = 0;
    model->request = static_cast<CData>(request);
    model->turn = turn ? 1 : 0;
    eval();
  }
  void step(bool rst_n, unsigned request, bool turn) {
    model->rst_n = rst_n ? 1 : 0;
    settle(request, turn);
    model->clk = 1;
    eval();
  }
  void eval() {
    const BlockCalls::Scope scope(this);
    model->eval();
  }
  void rule_broken(const std::string& rule, const std::string&) override { throw RuleBroken(rule); }
  void gave_up(const std::string& how) override { throw std::runtime_error(how); }
  void printed(const std::string&) override {}
  VerilatedContext context;
  std::unique_ptr<Model> model;
};

// Every state and every set of requests: the winner is the requester with the smallest distance,
// and each other one is nearer afterwards. So no one is passed over N times.
template <class Model, unsigned N>
void check_every_state() {
  for (unsigned next = 0; next < N; ++next) {
    for (unsigned request = 1; request < 1U << N; ++request) {
      Arbiter<Model> arbiter;
      // A single requester in front of `next` brings the arbiter there.
      arbiter.step(true, 1U << ((next + N - 1) % N), true);
      arbiter.settle(request, true);
      unsigned expected = N;
      for (unsigned i = 0; i < N && expected == N; ++i) {
        if ((request >> ((next + i) % N) & 1) != 0) expected = (next + i) % N;
      }
      BOOST_REQUIRE(arbiter.model->winner == 1U << expected);
      arbiter.step(true, request, true);
      const unsigned then = (expected + 1) % N;
      for (unsigned i = 0; i < N; ++i) {
        if ((request >> i & 1) == 0 || i == expected) continue;
        BOOST_REQUIRE((i + N - then) % N < (i + N - next) % N);
      }
      arbiter.settle((1U << N) - 1, true);
      BOOST_REQUIRE(arbiter.model->winner == 1U << then);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(every_packet_arrives_once_in_order_at_its_output, Bench, Routers) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Bench bench(seed);
    bench.drain = seed % 3 == 0 ? 0.2 : seed % 3 == 1 ? 1.0 : 0.6;
    bench.send = seed % 2 == 0 ? 1.0 : 0.5;
    add_random_packets(bench, 300, seed);
    BOOST_TEST(bench.run(60'000), "seed " << seed << ": " << bench.delivered() << " of 300");
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(the_way_through_takes_two_edges, Bench, Routers) {
  Bench bench;
  TestPacket& data = bench.add({0, 2, 1, false, false});
  BOOST_TEST(bench.run(100));
  // At the pins behind edge e, in the FIFO behind e + 1, at the output behind e + 2: seen by the
  // edge e + 3.
  BOOST_TEST(data.left - data.entered == 3U);
  TestPacket& control = bench.add({1, 0, 1, false, true});
  BOOST_TEST(bench.run(100));
  BOOST_TEST(control.left - control.entered == 3U);
}

// Long messages in a permutation: every port is busy in every cycle. 4 places cover the 4 cycles
// until a credit is back.
BOOST_AUTO_TEST_CASE(one_flit_per_port_and_cycle) {
  Router8 bench;
  for (unsigned p = 0; p < 8; ++p) {
    for (int i = 0; i < 8; ++i) bench.add({p, (p + 3) % 8, 50, i % 2 == 1, false});
  }
  BOOST_TEST(bench.run(1000));
  BOOST_TEST(bench.cycle() <= 400U + 12U);
}

// All inputs to one output: their shares differ by one flit at the most.
BOOST_AUTO_TEST_CASE_TEMPLATE(outputs_take_turns_among_their_inputs, Bench, Routers) {
  Bench bench;
  for (unsigned p = 0; p < Bench::ports; ++p) {
    for (int i = 0; i < 400; ++i) bench.add({p, 1, 1, false, false});
  }
  bench.cycles(20);
  std::vector<unsigned> before;
  for (unsigned p = 0; p < Bench::ports; ++p) before.push_back(bench.flits_in(p));
  const unsigned came = bench.flits_out(1);
  bench.cycles(20 * Bench::ports);
  BOOST_TEST(bench.flits_out(1) > came);
  unsigned least = ~0U, most = 0;
  for (unsigned p = 0; p < Bench::ports; ++p) {
    least = std::min(least, bench.flits_in(p) - before[p]);
    most = std::max(most, bench.flits_in(p) - before[p]);
  }
  BOOST_TEST(most - least <= 1U);
}

BOOST_AUTO_TEST_CASE(the_arbiter_is_fair_in_every_state) {
  check_every_state<Vround_robin_3, 3>();
  check_every_state<Vround_robin_8, 8>();
}

// Receivers give no place back: as many flits come out as they have places, the FIFOs fill, then
// the senders. With credits all of it arrives.
BOOST_AUTO_TEST_CASE_TEMPLATE(back_pressure_stops_the_senders_and_loses_nothing, Bench, Routers) {
  Bench bench;
  bench.with_credits = false;
  for (int i = 0; i < 40; ++i) bench.add({0, 1, 7, i % 2 == 1, false});
  bench.cycles(500);
  BOOST_TEST(bench.flits_out(1) == Bench::channels * Bench::places);
  BOOST_TEST(bench.flits_in(0) == 2 * Bench::channels * Bench::places);
  bench.with_credits = true;
  BOOST_TEST(bench.run(5000));
}

// Data fill every place on their way; a control message goes through as if they were not there.
BOOST_AUTO_TEST_CASE_TEMPLATE(control_messages_never_wait_for_data, Bench, Routers) {
  Bench bench;
  bench.with_credits = false;
  for (unsigned i = 0; i < 2 * Bench::channels; ++i) bench.add({0, 1, 7, i % 2 == 1, false});
  bench.cycles(500);
  BOOST_TEST(!bench.done());
  TestPacket& control = bench.add_first({0, 1, 1, false, true});
  bench.cycles(5);
  BOOST_TEST(control.left - control.entered == 3U);
}

// --- Rules, broken by those who drive the pins

BOOST_AUTO_TEST_CASE(a_flit_without_a_credit_is_named) {
  BOOST_TEST(broken([] {
               Router3 bench;
               for (int i = 0; i < 200; ++i) {
                 bench.pins().drive(0, {1, i == 0, false, 1, 0});  // nothing leaves output 1
                 bench.raw_cycle();
               }
             }) == "flit_has_a_credit at in_valid");
}

BOOST_AUTO_TEST_CASE(packets_that_are_not_contiguous_are_named) {
  BOOST_TEST(broken([] {
               Router3 bench;
               bench.pins().drive(0, {0, false, true, 1, 0});
               bench.raw_cycle();
             }) == "body_is_in_an_open_packet at in_head");
  BOOST_TEST(broken([] {
               Router3 bench;
               for (int i = 0; i < 2; ++i) {
                 bench.pins().drive(0, {0, true, false, 1, 0});
                 bench.raw_cycle();
               }
             }) == "head_opens_a_packet at in_head");
}

BOOST_AUTO_TEST_CASE(a_credit_for_nothing_is_named) {
  BOOST_TEST(broken([] {
               Router3 bench;
               bench.pins().drive_credits(2, 1U << 3);
               bench.raw_cycle();
             }) == "no_credit_too_many at out_credit");
}

BOOST_AUTO_TEST_CASE(channels_routes_and_control_messages_that_are_none_are_named) {
  const auto flit = [](unsigned channel, bool tail, unsigned route) {
    return broken([=] {
      Router3 bench;
      bench.pins().drive(0, {channel, true, tail, route, 0});
      bench.raw_cycle();
    });
  };
  BOOST_TEST(flit(5, true, 0) == "channel_exists at in_channel");
  BOOST_TEST(flit(0, true, 3) == "route_exists at in_route");
  BOOST_TEST(flit(4, false, 0) == "control_is_one_flit at in_tail");
  BOOST_TEST(flit(4, true, 2) == "");
}

BOOST_AUTO_TEST_CASE(a_design_that_ignores_credits_is_named) {
  BOOST_TEST(broken([] {
               RouterBench<Vrouter_careless, 4, 2, 2> bench;
               bench.with_credits = false;
               for (int i = 0; i < 20; ++i) bench.add({0, 1, 7, i % 2 == 1, false});
               try {
                 bench.run(500);
               } catch (const std::logic_error&) {
                 bench.raw_cycle();  // the bench has counted one too many: the edge tells the rule
               }
             }) == "flit_has_a_credit at out_valid");
}

BOOST_AUTO_TEST_SUITE_END()
