// The router in RTL between other nodes: times, credits with its neighbours, faults. Flits of 16 B,
// a clock of 1 ns; links are unlimited with 1 fs of propagation unless said otherwise.
#include "models/rtl/verilated_router.h"
// The runtime of Verilator comes first.
#include <Vrouter_careless.h>
#include <Vrouter_silent.h>
#include <Vrouter_straying.h>
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/cube/sram.h"
#include "models/noc/router.h"
#include "models/rtl/rtl_router.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/whole_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rtl_router)

namespace {

constexpr Fs ns = fs_per_ns;
using Settings = std::map<std::string, std::string>;

template <class Model>
class Foreign final : public RtlRouter {
 public:
  explicit Foreign(const ComponentInit& init)
      : RtlRouter(init, &VerilatedRouter<Model, 4, 2, 2>::make) {}
};

// Sources a, b -> router r -> sinks y, z.
template <class Kind = RtlRouter>
struct Star {
  explicit Star(const Settings& settings = {}, const MiniLink& to_y = {})
      : r(machine.add<Kind>("r", settings)) {
    for (const char* peer : {"a", "b", "z"}) machine.connect(peer, "r");
    machine.connect("r", "y", to_y);
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "r", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Kind& r;
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

// A sink whose credits never come back.
class FullSink final : public FabricNode {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
  };
  explicit FullSink(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through) {}
  InputBuffer input_buffer() const override { return {2, 3}; }

 private:
  Fs next_due() const override { return never_fs; }
  void serve() override {}
};

std::string fault_of(MiniMachine& machine) {
  return error_of<ModelError>([&] { machine.run(); });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_flit_goes_on_at_the_third_edge_behind_its_first) {
  Star<> t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), ns / 5);  // at the pins behind the edge at 1 ns
  t.b.send_at(t.machine.write("b", "y", 0, 16), 10 * ns - 1);  // arrives at an edge
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{4 * ns + 1}), boost::test_tools::per_element());
  BOOST_TEST(t.y.times() == (std::vector<Fs>{13 * ns + 1}), boost::test_tools::per_element());
  BOOST_TEST(WholeMachine::statistic(t.r, "flits") == 2U);
  BOOST_TEST(WholeMachine::statistic(t.r, "transactions") == 2U);
  BOOST_TEST(WholeMachine::statistic(t.r, "inside") == 6 * ns + ns - ns / 5 - 1);
}

KERNBENCH_SYSTEMC_TEST(a_message_streams_through_one_flit_per_cycle) {
  Star<> t;
  t.a.send_at(t.machine.write("a", "z", 0, 80), 10 * ns - 1);
  t.machine.run();
  BOOST_TEST(t.z.times() ==
                 (std::vector<Fs>{13 * ns + 1, 14 * ns + 1, 15 * ns + 1, 16 * ns + 1, 17 * ns + 1}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(any_period_that_a_femtosecond_can_express) {
  Star<> t(Settings{{"clock_period_ns", "0.000007"}});
  t.a.send_at(t.machine.write("a", "z", 0, 16), 1000);  // arrives at 1001 = 143 * 7
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{1001 + 3 * 7 + 1}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(the_clock_runs_only_while_there_is_work) {
  Star<> t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 1000 * ns);
  t.a.send_at(t.machine.write("a", "z", 0, 16), 900000 * ns);
  t.machine.run();
  BOOST_TEST(WholeMachine::statistic(t.r, "rtl_cycles") <= 12U);
}

KERNBENCH_SYSTEMC_TEST(inputs_take_turns_at_an_output) {
  Star<> t;
  t.a.send_at(t.machine.write("a", "z", 0, 16 * 4), 10 * ns - 1);
  t.b.send_at(t.machine.write("b", "z", 0, 16 * 4), 10 * ns - 1);
  t.machine.run();
  std::vector<NodeId> order;
  for (const Received& received : t.z.records()) order.push_back(received.key.initiator);
  const NodeId a = t.machine.id("a"), b = t.machine.id("b");
  BOOST_TEST(order == (std::vector<NodeId>{a, b, a, b, a, b, a, b}),
             boost::test_tools::per_element());
}

// The link to y takes 10 ns per flit: its places fill, then those of the input, then a waits.
KERNBENCH_SYSTEMC_TEST(back_pressure_reaches_the_neighbour) {
  Star<> t({}, {"1.6", 1});
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 40), 10 * ns - 1);
  t.b.send_at(t.machine.write("b", "z", 0, 16), 100 * ns - 1);  // is not in its way
  t.machine.run();
  std::vector<Fs> expected;
  for (Fs i = 0; i < 40; ++i) expected.push_back(13 * ns + (i + 1) * 10 * ns + 1);
  BOOST_TEST(t.y.times() == expected, boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (std::vector<Fs>{103 * ns + 1}), boost::test_tools::per_element());
  BOOST_TEST(WholeMachine::statistic(t.a, "credit_stalls") == 40U - 8U);
  BOOST_TEST(WholeMachine::statistic(t.b, "credit_stalls") == 0U);
}

KERNBENCH_SYSTEMC_TEST(control_messages_do_not_wait_for_flits) {
  Star<> t({}, {"1.6", 1});
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 40), 10 * ns - 1);
  t.a.send_at(t.machine.control("a", "z"), 100 * ns - 1);
  t.a.send_at(t.machine.control("a", "y", 0, true), 110 * ns - 1);  // past the flits on the link
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{103 * ns + 1}), boost::test_tools::per_element());
  const auto host_control = std::find_if(t.y.records().begin(), t.y.records().end(),
                                         [](const Received& each) { return each.bytes == 0; });
  BOOST_REQUIRE((host_control != t.y.records().end()));
  BOOST_TEST(host_control->time == 113 * ns + 1);
  BOOST_TEST(WholeMachine::statistic(t.r, "control_messages") == 2U);
}

KERNBENCH_SYSTEMC_TEST(the_clock_stops_while_a_slow_link_is_busy) {
  Star<> t({{"watchdog_cycles", "100"}, {"check_unknown", "false"}}, {"0.016", 1});
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 30), 10 * ns - 1);  // 1000 ns each
  t.machine.run();
  BOOST_TEST(t.y.times().back() == 13 * ns + 30 * 1000 * ns + 1);
  BOOST_TEST(WholeMachine::statistic(t.r, "rtl_cycles") < 30U * 40U);
}

// Nothing is pending in the end, which a clock that runs on, or the watchdog, would prevent.
KERNBENCH_SYSTEMC_TEST(the_clock_stops_when_all_inside_waits_for_credits_of_others) {
  MiniMachine machine({"a", "r", "z"}, 16);
  StubNode& a = machine.stub("a");
  RtlRouter& r = machine.add<RtlRouter>("r");
  machine.add<FullSink>("z");
  machine.connect("a", "r");
  machine.connect("r", "z");
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 16 * 60), 10 * ns - 1);
  BOOST_CHECK_THROW(machine.run(), std::logic_error);  // a transaction has not ended
  BOOST_TEST(WholeMachine::statistic(r, "flits") ==
             3U + 8U);  // to the places of z, and of the output
  BOOST_TEST(WholeMachine::statistic(r, "rtl_cycles") < 100U);
  const std::vector<PendingWaits::Waiter> waiters = machine.pending_waits().waiters();
  BOOST_REQUIRE(waiters.size() == 2U);
  BOOST_TEST(waiters[0].who == "a");
  BOOST_TEST(waiters[0].what == "credits of r");
  BOOST_TEST(waiters[1].who == "r");
  BOOST_TEST(waiters[1].what == "credits of z");
}

KERNBENCH_SYSTEMC_TEST(no_output_is_unknown) {
  Star<> t(Settings{{"check_unknown", "true"}});
  for (unsigned i = 0; i < 20; ++i) {
    t.a.send_at(t.machine.write("a", i % 2 == 0 ? "y" : "z", 0, 16 * (1 + i % 5)), i * 3 * ns);
    t.b.send_at(t.machine.control("b", "z"), i * 3 * ns);
  }
  t.machine.run();
  BOOST_TEST(t.machine.completions().size() == 40U);
}

KERNBENCH_SYSTEMC_TEST(more_neighbours_than_ports_are_refused) {
  std::vector<std::string> names{"r"};
  for (int i = 0; i < 9; ++i) names.push_back("s" + std::to_string(i));
  MiniMachine machine(names, 16);
  machine.add<RtlRouter>("r");
  for (int i = 0; i < 9; ++i) {
    machine.stub("s" + std::to_string(i));
    machine.connect("r", "s" + std::to_string(i));
  }
  BOOST_TEST(error_of<UsageError>([&] { machine.elaborate(); }) ==
             "'r' has more than 8 neighbours: a router in RTL has 8 ports");
}

BOOST_AUTO_TEST_CASE(what_launches_reckon_with_is_no_more_than_it_takes) {
  const auto fault = [](const char* overhead, const char* period) {
    Attributes attributes = defaults_of(schema_of<RtlRouter::Parameters>());
    attributes.set("overhead_ns", Rational::parse(overhead));
    attributes.set("clock_period_ns", Rational::parse(period));
    return RtlRouter::check(RtlRouter::Parameters(attributes));
  };
  BOOST_TEST(!fault("3", "1"));
  BOOST_REQUIRE(fault("3", "0.5"));
  BOOST_TEST(fault("3", "0.5")->message ==
             "found 3 ns, allowed is at most 3 periods of the clock, 1.5 ns");
}

// --- Third-party designs

KERNBENCH_SYSTEMC_TEST(a_router_that_gives_nothing_is_found_by_the_watchdog) {
  Star<Foreign<Vrouter_silent>> t(Settings{{"watchdog_cycles", "100"}});
  t.a.send_at(t.machine.write("a", "z", 0, 16), 10 * ns - 1);
  BOOST_TEST(fault_of(t.machine).find("r: no handshake for 100 cycles: it waits for out_valid "
                                      "(watchdog_cycles), cycle ") == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_router_that_ignores_credits_is_named_with_the_rule) {
  Star<Foreign<Vrouter_careless>> t({}, {"1.6", 1});
  t.a.send_at(t.machine.write("a", "y", 0, 16 * 20), 10 * ns - 1);
  BOOST_TEST(fault_of(t.machine).find(
                 "r: the block breaks the rule flit_has_a_credit at out_valid, cycle ") == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_flit_at_the_wrong_output_is_found) {
  Star<Foreign<Vrouter_straying>> t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 10 * ns - 1);
  BOOST_TEST(fault_of(t.machine).find(
                 "r: a flit for output 3 has left by output 2 (out_valid), cycle ") == 0U);
}

// --- Properties

namespace {

struct Request {
  int kind = 0;  // 0 write, 1 read, 2 control, 3 host control
  int from = 0, to = 0;
  unsigned bytes = 1;
  Fs at = 0;
};

struct Traffic {
  int leaves = 3;
  std::string bw_gbs;
  std::vector<Request> requests;
};

Traffic random_traffic() {
  Traffic traffic;
  traffic.leaves = *rc::gen::inRange(2, 6);
  traffic.bw_gbs = *rc::gen::element<std::string>("0", "16", "5", "64");
  const int requests = *rc::gen::inRange(1, 40);
  for (int i = 0; i < requests; ++i) {
    Request request;
    request.kind = *rc::gen::inRange(0, 4);
    request.from = *rc::gen::inRange(0, traffic.leaves);
    request.to = *rc::gen::inRange(0, traffic.leaves);
    request.bytes = *rc::gen::inRange(1U, 300U);
    request.at = *rc::gen::inRange<Fs>(0, 40) * (ns / 2);
    traffic.requests.push_back(request);
  }
  std::stable_sort(traffic.requests.begin(), traffic.requests.end(),
                   [](const Request& a, const Request& b) { return a.at < b.at; });
  return traffic;
}

struct Outcome {
  std::vector<Fs> times;
  std::vector<std::uint64_t> bytes;  // by link
};

// Leaves l0... next to two adjacent routers p and q, and memories m0... opposite to each.
template <class Kind>
Outcome play(const Traffic& traffic) {
  std::vector<std::string> names{"p", "q"};
  for (int i = 0; i < traffic.leaves; ++i) {
    names.push_back("l" + std::to_string(i));
    names.push_back("m" + std::to_string(i));
  }
  MiniMachine machine(names, 16);
  machine.add<Kind>("p");
  machine.add<Kind>("q");
  std::vector<StubNode*> leaves;
  machine.connect("p", "q", {traffic.bw_gbs, 5});
  std::vector<std::pair<std::string, std::string>> links{{"p", "q"}, {"q", "p"}};
  for (int i = 0; i < traffic.leaves; ++i) {
    const std::string leaf = "l" + std::to_string(i), memory = "m" + std::to_string(i);
    leaves.push_back(&machine.stub(leaf));
    machine.add<Sram>(memory);
    machine.connect("p", leaf, {traffic.bw_gbs, 3});
    machine.connect("q", memory, {traffic.bw_gbs, 3});
    for (const auto& [a, b] : {std::pair{leaf, "p"}, std::pair{memory, "q"}}) {
      links.emplace_back(a, b);
      links.emplace_back(b, a);
    }
  }
  machine.elaborate();
  for (const Request& request : traffic.requests) {
    const std::string from = "l" + std::to_string(request.from);
    const std::string memory = "m" + std::to_string(request.to);
    Transaction& transaction =
        request.kind == 0 ? machine.write(from, memory, 0, request.bytes, request.at)
        : request.kind == 1
            ? machine.read(from, memory, 0, request.bytes, request.at)
            : machine.control(from,
                              "l" + std::to_string(request.to == request.from
                                                       ? (request.to + 1) % traffic.leaves
                                                       : request.to),
                              request.at, request.kind == 3);
    leaves[static_cast<std::size_t>(request.from)]->send_at(transaction, request.at);
  }
  machine.run();
  if (!machine.monitors().unfinished().empty())
    throw std::logic_error(machine.monitors().unfinished());
  Outcome outcome;
  for (std::size_t i = 0; i < traffic.requests.size(); ++i)
    outcome.times.push_back(machine.completed_at(i));
  for (const auto& [a, b] : links) {
    const Link& link = machine.link(a, b);
    if (link.available_at() > Component::now())
      sc_core::sc_start(Component::until(link.available_at()));
    outcome.bytes.push_back(link.statistics().bytes);
  }
  return outcome;
}

template <class Kind>
Outcome played(const Traffic& traffic) {
  Outcome outcome;
  const std::vector<Fs> all = forked_value([&] {
    const Outcome each = play<Kind>(traffic);
    std::vector<Fs> numbers{each.times.size()};
    numbers.insert(numbers.end(), each.times.begin(), each.times.end());
    numbers.insert(numbers.end(), each.bytes.begin(), each.bytes.end());
    return numbers;
  });
  const auto middle = all.begin() + 1 + static_cast<std::ptrdiff_t>(all.front());
  outcome.times.assign(all.begin() + 1, middle);
  outcome.bytes.assign(middle, all.end());
  return outcome;
}

}  // namespace

RC_BOOST_PROP(two_routers_lose_nothing_and_carry_what_others_carry, ()) {
  const Traffic traffic = random_traffic();
  const Outcome rtl = played<RtlRouter>(traffic), plain = played<Router>(traffic);
  for (const Fs time : rtl.times) RC_ASSERT(time != never_fs);
  RC_ASSERT(rtl.bytes == plain.bytes);
  RC_ASSERT(played<RtlRouter>(traffic).times == rtl.times);
}

BOOST_AUTO_TEST_SUITE_END()
