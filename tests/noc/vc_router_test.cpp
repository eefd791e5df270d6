// The virtual-channel router (spec 2.10). A cycle is 1000 fs; flits have 16 B; links are unlimited
// with one cycle of propagation unless said otherwise; pipeline_cycles is 2. What a source sends at
// cycle t arrives at t + 1; a first flit gets its channel at t + 2, the switch at t + 3, is handed
// over at t + 4 and arrives at t + 5.
#include "models/noc/vc_router.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(vc_router)

namespace {

constexpr Fs cycle = 1000;
const MiniLink link{"0", cycle};
const MiniLink slow{"160", cycle};  // a flit in 100 cycles

using Settings = std::map<std::string, std::string>;

Settings with(Settings attributes) {
  attributes.emplace("clock_ghz", "1000");
  return attributes;
}

std::vector<Fs> cycles(const StubNode& sink) {
  std::vector<Fs> cycles = sink.times();
  for (Fs& time : cycles) time /= cycle;
  return cycles;
}

void check(const std::vector<Fs>& times, const std::vector<Fs>& expected) {
  BOOST_TEST(times == expected, boost::test_tools::per_element());
}

// Sources a, b, c and sinks x, y, z of one router r.
template <class Node = VcRouter>
struct Star {
  explicit Star(const Settings& attributes = {}) : r(machine.add<Node>("r", with(attributes))) {
    for (const char* peer : {"a", "b", "c", "x", "y", "z"}) machine.connect(peer, "r", link);
    machine.elaborate();
  }
  void send(const std::string& from, const std::string& to, unsigned flits, Fs at, Fs issued = 0) {
    StubNode& source = from == "a" ? a : from == "b" ? b : c;
    source.send_at(machine.write(from, to, 0, 16 * flits, issued), at);
  }
  // "source flit" of all that y has received, in order.
  std::string order() const {
    std::string names;
    for (const Received& received : y.records()) {
      names +=
          (received.key.initiator == machine.id("a") ? " a" : " b") + std::to_string(received.flit);
    }
    return names;
  }
  std::uint64_t statistic(const std::string& name) const { return statistic_of(r, name); }
  MiniMachine machine{{"a", "b", "c", "r", "x", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  StubNode& c{machine.stub("c")};
  Node& r;
  StubNode& x{machine.stub("x")};
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

// a, b -> r -> s -> y; r -> z.
struct Chain {
  Chain(const Settings& of_r, const Settings& of_s, const MiniLink& to_y = link)
      : r(machine.add<VcRouter>("r", with(of_r))), s(machine.add<VcRouter>("s", with(of_s))) {
    for (const char* peer : {"a", "b", "s", "z"}) machine.connect(peer, "r", link);
    machine.connect("s", "y", to_y);
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "r", "s", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  VcRouter& r;
  VcRouter& s;
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

// The lowest input first, its lowest output.
class FixedPriority final : public SwitchAllocator {
 public:
  static constexpr const char* description = "router with fixed priorities";
  using Parameters = VcRouterParameters;
  explicit FixedPriority(const Parameters& /*parameters*/) {}
  void match(const SwitchRequests& requests, SwitchMatches& matches) override {
    std::uint64_t taken = 0;
    for (std::uint32_t input = 0; input < requests.inputs(); ++input) {
      const std::uint64_t free = requests.outputs_for(input) & ~taken;
      if (free == 0) continue;
      matches[input] = first_from(free, 0);
      taken |= std::uint64_t{1} << matches[input];
    }
  }
};

// Connects every input to output 4.
class Crossed final : public SwitchAllocator {
 public:
  static constexpr const char* description = "not an allocator";
  using Parameters = VcRouterParameters;
  explicit Crossed(const Parameters& /*parameters*/) {}
  void match(const SwitchRequests& requests, SwitchMatches& matches) override {
    for (std::uint32_t input = 0; input < requests.inputs(); ++input) {
      if (requests.outputs_for(input) != 0) matches[input] = 4;
    }
  }
};

}  // namespace

// --- Time at zero load

KERNBENCH_SYSTEMC_TEST(a_flit_takes_the_pipeline_and_the_switch) {
  Star<> t;
  t.send("a", "y", 1, 1 * cycle);
  t.machine.run();
  check(t.y.times(), {6 * cycle});
  BOOST_TEST(t.statistic("waiting") == 0U);
  BOOST_TEST(t.statistic("busy") == cycle);
}

// All arrive at 2. The first flit has the switch at 4, the others one by one at the next edges.
KERNBENCH_SYSTEMC_TEST(later_flits_follow_one_per_cycle) {
  Star<> t;
  t.send("a", "y", 4, 1 * cycle);
  t.machine.run();
  check(cycles(t.y), {6, 7, 8, 9});
  BOOST_TEST(t.statistic("flits") == 4U);
  BOOST_TEST(t.statistic("transactions") == 1U);
  BOOST_TEST(t.statistic("busy") == 4 * cycle);
  // A later flit could have had the switch at 3: it waited until 5, 6, 7.
  BOOST_TEST(t.statistic("waiting") == (2 + 3 + 4) * cycle);
  BOOST_TEST(t.statistic("stalled") == 0U);
  BOOST_TEST(t.statistic("longest_wait") == 4 * cycle);
}

// A later flit that finds an empty queue has the switch one edge after its arrival at 21.
KERNBENCH_SYSTEMC_TEST(a_later_flit_takes_two_cycles) {
  Star<> t;
  Transaction& message = t.machine.write("a", "y", 0, 32);
  t.a.send_flit_at(message, 0, 1 * cycle);
  t.a.send_flit_at(message, 1, 20 * cycle);
  t.machine.run();
  check(cycles(t.y), {6, 24});  // 21 + 2, and the link
}

// Channel and switch at one edge, 3; handed over at 4.
KERNBENCH_SYSTEMC_TEST(a_pipeline_of_one_cycle_allocates_channel_and_switch_together) {
  Star<> t(Settings{{"pipeline_cycles", "1"}});
  t.send("a", "y", 2, 1 * cycle);
  t.machine.run();
  check(cycles(t.y), {5, 6});
}

// Channel at 5, switch at 6.
KERNBENCH_SYSTEMC_TEST(a_longer_pipeline_delays_first_flits_only) {
  Star<> t(Settings{{"pipeline_cycles", "4"}});
  Transaction& message = t.machine.write("a", "y", 0, 32);
  t.a.send_flit_at(message, 0, 1 * cycle);
  t.a.send_flit_at(message, 1, 20 * cycle);
  t.machine.run();
  check(cycles(t.y), {8, 24});
}

// An arrival at 2.001 counts at edge 3.
KERNBENCH_SYSTEMC_TEST(an_arrival_between_edges_waits_for_the_next) {
  Star<> t;
  t.send("a", "y", 1, 1 * cycle + 1);
  t.machine.run();
  check(t.y.times(), {7 * cycle});
}

// Arrives at 2.3, leaves 3 cycles later, at no edge; flits of the same output do not matter.
KERNBENCH_SYSTEMC_TEST(control_messages_bypass_queues_and_switch) {
  Star<> t(Settings{{"buffer_flits", "1"}});
  t.send("a", "y", 8, 1 * cycle);
  t.a.send_at(t.machine.control("a", "y"), 1300);
  t.machine.run();
  std::vector<Fs> control;
  for (const Received& received : t.y.records()) {
    if (received.bytes == 0) control.push_back(received.time);
  }
  check(control, {6300});
  BOOST_TEST(t.statistic("control_messages") == 1U);
  BOOST_TEST(t.statistic("flits") == 8U);
}

// --- Policies

// Both first flits request y at 4, and at each edge both inputs have a flit until one is left.
KERNBENCH_SYSTEMC_TEST(round_robin_alternates_between_two_inputs) {
  Star<> t;
  t.send("a", "y", 3, 1 * cycle);
  t.send("b", "y", 3, 1 * cycle);
  t.machine.run();
  BOOST_TEST(t.order() == " a0 b0 a1 b1 a2 b2");
  check(cycles(t.y), {6, 7, 8, 9, 10, 11});
  BOOST_TEST(t.statistic("switch_conflicts") == 5U);
}

KERNBENCH_SYSTEMC_TEST(age_sends_the_oldest_message_first) {
  Star<> t(Settings{{"allocator", "age"}});
  t.send("a", "y", 3, 1 * cycle, 50);
  t.send("b", "y", 3, 1 * cycle, 20);
  t.machine.run();
  BOOST_TEST(t.order() == " b0 b1 b2 a0 a1 a2");
  check(cycles(t.y), {6, 7, 8, 9, 10, 11});
}

KERNBENCH_SYSTEMC_TEST(a_policy_from_outside_is_used) {
  Star<VcRouterNode<FixedPriority>> t;
  t.send("a", "y", 3, 1 * cycle);
  t.send("b", "y", 3, 1 * cycle);
  t.machine.run();
  BOOST_TEST(t.order() == " a0 a1 a2 b0 b1 b2");
}

// One message of 20 flits from each source to each sink, in a channel of its own. By the pointers
// of iSLIP (switch_allocator_test) x is served from the first cycle on, 4, y from the second, z
// from the third, each in every cycle from then on, with the sources in turn.
KERNBENCH_SYSTEMC_TEST(islip_reaches_full_throughput) {
  Star<> t(Settings{{"allocator", "islip"}, {"virtual_channels", "6"}, {"buffer_flits", "20"}});
  for (const char* source : {"a", "b", "c"}) {
    for (const char* sink : {"x", "y", "z"}) t.send(source, sink, 20, 1 * cycle);
  }
  t.machine.run();
  const auto from = [](Fs first) {
    std::vector<Fs> times;
    for (Fs i = 0; i < 60; ++i) times.push_back(first + i);
    return times;
  };
  check(cycles(t.x), from(6));
  check(cycles(t.y), from(7));
  check(cycles(t.z), from(8));
}

// --- Channels and credits

// s has one channel for requests, a gets it at 3 and sends at 4, 5, 6. b gets it at 7, the edge
// after the grant of a's last flit, and sends at 8, 9, 10. At s a's flits arrive at 6, 7, 8 and
// have the switch at 8, 9, 10; b's first flit, there at 10, becomes the head at 10: 12, 13, 14.
KERNBENCH_SYSTEMC_TEST(a_message_holds_the_channel_of_the_next_node_until_its_last_flit) {
  Chain t({}, {{"virtual_channels", "2"}});
  t.a.send_at(t.machine.write("a", "y", 0, 48), 1 * cycle);
  t.b.send_at(t.machine.write("b", "y", 0, 48), 1 * cycle);
  t.machine.run();
  check(cycles(t.y), {10, 11, 12, 14, 15, 16});
  BOOST_TEST(statistic_of(t.r, "credit_stalls") == 1U);
  BOOST_TEST(statistic_of(t.r, "credit_waiting") == 4 * cycle);  // b, from 3 to 7
}

// The place of the first flit is free when it leaves at 5, known at a at 6; the second one arrives
// at 7, has the switch at 8 and leaves at 9; the third leaves at 13.
KERNBENCH_SYSTEMC_TEST(a_round_trip_of_credits_bounds_the_rate) {
  Star<> t(Settings{{"virtual_channels", "1"}, {"buffer_flits", "1"}});
  t.send("a", "y", 3, 1 * cycle);
  t.machine.run();
  check(cycles(t.y), {6, 10, 14});
  BOOST_TEST(statistic_of(t.a, "credit_waiting") == (5 + 9) * cycle);
  BOOST_TEST(t.machine.monitors().unfinished() == "");
}

// A message for y blocks: 2 flits at s, 4 at r. The channel of the other one does not: a sends it
// at 11, it arrives at 16.
KERNBENCH_SYSTEMC_TEST(a_blocked_channel_does_not_block_another) {
  Chain t({{"buffer_flits", "4"}}, {{"buffer_flits", "2"}}, slow);
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 8), 1 * cycle);
  t.a.send_at(t.machine.write("a", "z", 0, 32), 11 * cycle);
  t.machine.run();
  check(cycles(t.z), {16, 17});
  // The slow link never idles: the first flit is at s at 6, leaves from 9 to 109.
  std::vector<Fs> expected;
  for (Fs i = 1; i <= 8; ++i) expected.push_back(10 + i * 100);
  check(cycles(t.y), expected);
  BOOST_TEST(statistic_of(t.r, "credit_stalls") > 0U);
  BOOST_TEST(statistic_of(t.s, "credit_stalls") == 0U);  // y takes everything
  BOOST_TEST(t.machine.monitors().unfinished() == "");
}

// With one channel for requests the second message is queued behind the first, all of whose 6 flits
// are at s and r. It arrives at r when a place is free there. Flits leave s at 109, 209, 309, 409,
// so the last one of the first message is granted at 410 with the fourth credit. The second message
// is then the head: channel at 411, switch at 412.
KERNBENCH_SYSTEMC_TEST(messages_in_one_channel_block_one_another) {
  Chain t({{"buffer_flits", "4"}, {"virtual_channels", "2"}},
          {{"buffer_flits", "2"}, {"virtual_channels", "2"}}, slow);
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 6), 1 * cycle);
  t.a.send_at(t.machine.write("a", "z", 0, 16), 11 * cycle);
  t.machine.run();
  check(cycles(t.z), {414});
}

// 24 B at 16000 GB/s are 1.5 cycles. Handed over at 5, 6,
// 8, 9, 11, 12, the flits keep the link busy from 5 on.
KERNBENCH_SYSTEMC_TEST(a_link_slower_than_the_clock_is_kept_busy) {
  MiniMachine machine({"a", "r", "y"}, 24);
  StubNode& a = machine.stub("a");
  machine.add<VcRouter>("r", with({}));
  StubNode& y = machine.stub("y");
  machine.connect("a", "r", link);
  machine.connect("r", "y", {"16000", cycle});
  machine.elaborate();
  a.send_at(machine.write("a", "y", 0, 24 * 6), 1 * cycle);
  machine.run();
  check(y.times(), {7500, 9000, 10500, 12000, 13500, 15000});
}

KERNBENCH_SYSTEMC_TEST(flits_without_a_credit_are_a_pending_wait) {
  Chain t({{"buffer_flits", "4"}}, {{"buffer_flits", "2"}}, slow);
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 4), 1 * cycle);
  sc_core::sc_start(Component::fs(50 * cycle));
  const std::vector<PendingWaits::Waiter> waiters = t.machine.pending_waits().waiters();
  BOOST_REQUIRE(waiters.size() == 1U);
  BOOST_TEST(waiters[0].who == "r");
  BOOST_TEST(waiters[0].what == "credits of s");
  BOOST_TEST(waiters[0].since == 6 * cycle);  // two flits at 4 and 5, s has no third place
  BOOST_TEST(waiters[0].state() ==
             "\n    input from a, virtual channel 0: 2 flits, the first without a credit: a "
             "request from a to y");
  t.machine.run();
  BOOST_TEST(t.machine.pending_waits().waiters().empty());
}

// --- Errors

BOOST_AUTO_TEST_CASE(parameters_out_of_range_are_errors) {
  const ParameterSchema schema = schema_of<VcRouter::Parameters>();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"clock_ghz", "0"},
                                                        {"pipeline_cycles", "0"},
                                                        {"buffer_flits", "0"},
                                                        {"virtual_channels", "0"},
                                                        {"virtual_channels", "65"},
                                                        {"allocator", "fifo"},
                                                        {"islip_iterations", "0"}}) {
    const auto parameter =
        std::find_if(schema.begin(), schema.end(),
                     [&name = name](const Parameter& each) { return each.name() == name; });
    BOOST_REQUIRE(parameter != schema.end());
    BOOST_CHECK_THROW(parameter->parse(value), std::invalid_argument);
  }
}

KERNBENCH_SYSTEMC_TEST(an_allocator_that_connects_wrongly_ends_the_run) {
  Star<VcRouterNode<Crossed>> t;
  t.send("a", "x", 1, 1 * cycle);
  BOOST_TEST(error_of<std::exception>([&] { t.machine.run(); }) ==
             "r: the switch allocator connects input 0 to output 4, which it does not request");
}
KERNBENCH_SYSTEMC_TEST(an_allocator_that_connects_two_inputs_to_an_output_ends_the_run) {
  Star<VcRouterNode<Crossed>> t;
  t.send("a", "y", 1, 1 * cycle);
  t.send("b", "y", 1, 1 * cycle);
  BOOST_TEST(error_of<std::exception>([&] { t.machine.run(); }) ==
             "r: the switch allocator connects two inputs to output 4");
}

// A sender that has lost the first flit.
KERNBENCH_SYSTEMC_TEST(a_lost_flit_ends_the_run_at_the_router) {
  struct Careless final : sc_core::sc_module, FabricBackward {
    explicit Careless(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
      out.bind(static_cast<FabricBackward&>(*this));
    }
    void credit(std::uint32_t, std::uint32_t, Fs) override {}
    FabricInitiatorSocket out;
  };
  MiniMachine machine({"a", "r", "y"}, 16);
  machine.stub("a");
  machine.stub("y");
  VcRouter& r = machine.add<VcRouter>("r", with({}));
  machine.connect("r", "y", link);
  machine.set_path({"a", "r", "y"});
  Careless careless("careless");
  Link lost("lost", Rational(0), 1, 16, machine.observation().link_traversals);
  lost.connect(careless.out, r.add_input(0, "careless"));
  machine.elaborate();
  careless.out->accept(machine.write("a", "y", 0, 32), {1, 1, 1, 0}, cycle);
  BOOST_TEST(error_of<std::exception>([&] { machine.run(); }) ==
             "r: flit 1 is the next one in virtual channel 0 of input 0, expected is flit 0: a "
             "node before it has lost, repeated or reordered flits");
}

BOOST_AUTO_TEST_SUITE_END()
