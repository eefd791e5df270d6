// Routers with latency and occupancy apart, and with several servers (spec 2.4), in femtoseconds:
// flits of 16 B. Links take 4 fs for each and have 1 fs of propagation: what a source hands over at
// t arrives at t + 5, its next flit at t + 9. An overhead is 10 fs, a latency 20 fs.
#include "models/noc/pipelined_router.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "models/cube/sram.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(pipelined_router)

namespace {

using Pipelined = RouterNode<PipelinedService>;
using Settings = std::map<std::string, std::string>;
using Times = std::vector<Fs>;

std::string fs(Fs time) { return Rational::fraction(time, 1'000'000).str(); }  // in ns

Settings overhead(const std::string& servers) {
  return {{"overhead_ns", fs(10)}, {"servers", servers}};
}
Settings pipeline(Fs latency, Fs occupancy, Fs flit_occupancy = 0,
                  const std::string& servers = "node") {
  return {{"latency_ns", fs(latency)},
          {"occupancy_ns", fs(occupancy)},
          {"flit_occupancy_ns", fs(flit_occupancy)},
          {"servers", servers}};
}

// A link from each of a, b, y, z to s.
template <class Router>
struct Star {
  explicit Star(const Settings& settings, const MiniLink& link = {"4000000", 1})
      : s(machine.add<Router>("s", settings)) {
    for (const char* peer : {"a", "b", "y", "z"}) machine.connect(peer, "s", link);
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const { return statistic_of(s, name); }
  const Statistic& busy() const {
    for (const Statistic& statistic : s.statistics()) {
      if (statistic.name == "busy") return statistic;
    }
    throw std::logic_error("no busy time");
  }
  void send(const char* from, const char* to, unsigned bytes, Fs at) {
    (*from == 'a' ? a : b).send_at(machine.write(from, to, 0, bytes, at), at);
  }
  // When flits reach z, of a message from a and one from `other`, 32 bytes at 100 each.
  Times two_to_z(const char* other) {
    send("a", "z", 32, 100);
    send(other, "z", 32, 100);
    machine.run();
    return z.times();
  }
  MiniMachine machine{{"a", "b", "s", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Router& s;
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

using PipelinedStar = Star<Pipelined>;
const MiniLink unlimited{"0", 1};

}  // namespace

// Flits arrive at 105, 109, 113, start at once, and leave 20 later; links: 4 + 1. The first one
// holds the server for 3.
KERNBENCH_SYSTEMC_TEST(every_flit_passes_the_pipeline_and_later_ones_stream_behind) {
  PipelinedStar t(pipeline(20, 3));
  t.send("a", "z", 48, 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{130, 134, 138}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("flits") == 3U);
  BOOST_TEST(t.statistic("transactions") == 1U);
  BOOST_TEST(t.statistic("busy") == 3U);
  BOOST_TEST(t.statistic("waiting") == 0U);
}

// Three messages at 101 of unlimited links: a's two start at 101 and 104, b's at 107. Each leaves
// 20 after its start, and needs 1 to its end. The stall is 3 + 6.
KERNBENCH_SYSTEMC_TEST(messages_follow_each_other_by_the_occupancy_and_leave_after_the_latency) {
  PipelinedStar t(pipeline(20, 3), unlimited);
  t.send("a", "z", 16, 100);
  t.send("a", "z", 16, 100);
  t.send("b", "z", 16, 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{122, 125, 128}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("busy") == 9U);
  BOOST_TEST(t.statistic("waiting") == 9U);
  BOOST_TEST(t.statistic("stalled") == 9U);
  BOOST_TEST(t.statistic("longest_wait") == 6U);
}

// Both arrive at 101. The first leaves at 105 and holds the server until 111: the second one starts
// then, leaves at 115 and holds it until 121. At 116 the busy time is that from 101 on.
KERNBENCH_SYSTEMC_TEST(an_occupancy_above_the_latency_holds_the_server_after_the_hand_over) {
  PipelinedStar t(pipeline(4, 10), unlimited);
  t.send("a", "z", 16, 100);
  t.send("b", "z", 16, 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{106, 116}), boost::test_tools::per_element());
  BOOST_TEST(Component::now() == 116U);
  BOOST_TEST(t.statistic("busy") == 20U);
  BOOST_TEST(t.busy().at(116) == 15U);
}

// Flits arrive at 105, 109, 113 and hold the server for 6 each, the first one, too: they start at
// 105, 111, 117. The second flit waits 2, the third 4.
KERNBENCH_SYSTEMC_TEST(each_flit_holds_the_server_for_the_flit_occupancy) {
  PipelinedStar t(pipeline(20, 2, 6));
  t.send("a", "z", 48, 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{130, 136, 142}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("busy") == 18U);
  BOOST_TEST(t.statistic("waiting") == 6U);
  BOOST_TEST(t.statistic("stalled") == 0U);
}

// All arrive at 101, in the order of the tie rule: a's flits, then b's. a's first flit starts at
// 101 and holds the server for 3, its second one starts at 104, holds nothing, and so does b's. 20
// + 1.
KERNBENCH_SYSTEMC_TEST(flits_of_a_message_keep_their_order_between_other_messages) {
  PipelinedStar t(pipeline(20, 3), unlimited);
  t.send("a", "z", 32, 100);
  t.send("b", "z", 16, 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{122, 125, 125}), boost::test_tools::per_element());
  const std::vector<Received>& records = t.z.records();
  BOOST_TEST(records[0].flit == 0U);
  BOOST_TEST(records[1].flit == 1U);
  BOOST_TEST(records[1].key.initiator == t.machine.id("a"));
}

// Messages of one flit at many instants: the latency and occupancy of an overhead.
BOOST_AUTO_TEST_CASE(
    messages_of_one_flit_with_equal_latency_and_occupancy_have_an_overheads_times) {
  const auto play = [](auto& t) {
    for (const Fs at : {100U, 100U, 103U, 117U, 118U, 140U, 141U}) {
      t.send("a", at % 2 == 0 ? "z" : "y", 16, at);
      t.send("b", "z", 16, at + 2);
      t.a.send_at(t.machine.control("a", "z", at), at);
    }
    t.machine.run();
    Times times = t.z.times();
    for (const Fs time : t.y.times()) times.push_back(time);
    for (const char* name : {"busy", "waiting", "stalled"}) times.push_back(t.statistic(name));
    return times;
  };
  const Times serial = forked_value([&] {
    Star<Router> t({{"overhead_ns", fs(10)}});
    return play(t);
  });
  BOOST_TEST(serial.size() > 20U);
  const Times apart = forked_value([&] {
    PipelinedStar t(pipeline(10, 10));
    return play(t);
  });
  BOOST_TEST(apart == serial, boost::test_tools::per_element());
}

// Both arrive at 105 and leave at 125, b's if it waits for a's occupancy of 6 at 131. Links: 4 + 1,
// and behind each other.
BOOST_AUTO_TEST_CASE(servers_are_those_of_the_node_of_a_direction_or_of_a_pair) {
  struct Case {
    const char *servers, *first_to;
    Fs first, second;
  };
  for (const Case& c : {Case{"node", "y", 130, 136}, Case{"node", "z", 130, 136},
                        Case{"direction", "y", 130, 130}, Case{"direction", "z", 130, 136},
                        Case{"port", "y", 130, 130}, Case{"port", "z", 130, 134}}) {
    forked([&c] {
      PipelinedStar t(pipeline(20, 6, 0, c.servers));
      t.send("a", c.first_to, 16, 100);
      t.send("b", "z", 16, 100);
      t.machine.run();
      BOOST_TEST_CONTEXT(c.servers << ", a to " << c.first_to) {
        Times times = t.y.times();
        for (const Fs time : t.z.times()) times.push_back(time);
        BOOST_TEST(times == (Times{c.first, c.second}), boost::test_tools::per_element());
        BOOST_TEST(t.statistic("busy") == 12U);
      }
    });
  }
}

// The data flit holds the server from 101; control messages arrive at 103 and 105 and leave 20
// later. The direct route of a host message: 1 + 20 + 1.
KERNBENCH_SYSTEMC_TEST(control_messages_pay_the_latency_and_neither_wait_nor_hold) {
  PipelinedStar t(pipeline(20, 15), unlimited);
  t.send("a", "y", 16, 100);
  t.b.send_at(t.machine.control("b", "z", 102), 102);
  t.b.send_at(t.machine.control("b", "z", 104), 104);
  t.b.send_at(t.machine.control("b", "z", 105, true), 105);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{124, 126, 127}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("control_messages") == 3U);
  BOOST_TEST(t.statistic("busy") == 15U);
}

// The flits start at 101, 109, 117 and hold the server for 8 each. By 110 the first has held it for
// 8, the second for 1; the second was queued for 8, the third has been for 9.
KERNBENCH_SYSTEMC_TEST(busy_and_stall_times_count_up_to_now) {
  PipelinedStar t(pipeline(20, 8), unlimited);
  for (int i = 0; i < 3; ++i) t.send("a", "z", 16, 100);
  sc_core::sc_start(Component::fs(110));
  BOOST_TEST(Component::now() == 110U);
  BOOST_TEST(t.busy().at(110) == 9U);
  BOOST_TEST(t.busy().server.stalled(110) == 17U);
  t.machine.run();
  BOOST_TEST(t.z.times() == (Times{122, 130, 138}), boost::test_tools::per_element());
  BOOST_TEST(t.busy().at(Component::now()) == 24U);
  BOOST_TEST(t.busy().server.stalled(Component::now()) == 24U);  // 8 + 16
}

BOOST_AUTO_TEST_CASE(the_attribute_to_halve_is_that_of_the_occupancy) {
  const auto attribute = [](const Settings& settings) {
    return forked_value([&] {
      PipelinedStar t(settings);
      return std::string(t.busy().server.attribute);
    });
  };
  BOOST_TEST(attribute(overhead("direction")) == "overhead_ns");
  BOOST_TEST(attribute(pipeline(20, 3)) == "occupancy_ns");
  BOOST_TEST(attribute(pipeline(20, 0, 3)) == "flit_occupancy_ns");
  BOOST_TEST(attribute(pipeline(20, 3, 2)) == "occupancy_ns, flit_occupancy_ns");
}

BOOST_AUTO_TEST_CASE(an_overhead_next_to_a_latency_or_an_occupancy_is_a_fault_of_both_keys) {
  const auto fault = [](const char* key, const char* overhead_ns) {
    PipelinedService::Parameters with;
    Attributes values = defaults_of(with.schema());
    values.set("overhead_ns", Rational::parse(overhead_ns));
    values.set(key, Rational::parse("0.5"));
    const auto found = Pipelined::check(PipelinedService::Parameters(values));
    return found ? found->parameter + ": " + found->message : "";
  };
  for (const char* key : {"latency_ns", "occupancy_ns", "flit_occupancy_ns"}) {
    BOOST_TEST(fault(key, "8") ==
               std::string(key) +
                   ": found 0.5 ns next to overhead_ns of 8 ns, which sets latency_ns and "
                   "occupancy_ns at once; allowed is 0, or overhead_ns 0");
    BOOST_TEST(fault(key, "0") == "");
  }
}

// Two inputs of 512 GB/s, 256 B in 0.5 ns, whose first messages are there at 0.5. Port of 8 ns: the
// last of 24 leaves at 0.5 + 24 * 8 = 192.5. A message each 0.5 ns: it starts at 0.5 + 23 * 0.5 =
// 12 and leaves at 20. It arrives 0.5 later, with 1 fs of propagation on each link.
BOOST_AUTO_TEST_CASE(a_pipelined_port_is_not_the_bottleneck_of_small_messages) {
  const auto last_arrival = [](const Settings& settings) {
    return forked_value([&] {
      MiniMachine machine({"a", "b", "port", "z"});  // flits of 256 B
      StubNode& a = machine.stub("a");
      StubNode& b = machine.stub("b");
      machine.add<Pipelined>("port", settings);
      StubNode& z = machine.stub("z");
      for (const char* peer : {"a", "b", "z"}) machine.connect(peer, "port", {"512", 1});
      machine.elaborate();
      for (int i = 0; i < 12; ++i) {
        a.send_at(machine.write("a", "z", 0, 256), 0);
        b.send_at(machine.write("b", "z", 0, 256), 0);
      }
      machine.run();
      return z.times().back();
    });
  };
  BOOST_TEST(last_arrival({{"overhead_ns", "8"}}) == 193'000'000U + 2);
  BOOST_TEST(last_arrival({{"latency_ns", "8"}, {"occupancy_ns", "0.5"}}) == 20'500'000U + 2);
}

// 64 flits: single ones have an event each, runs one for the first flit and one for all others.
BOOST_AUTO_TEST_CASE(later_flits_of_a_message_are_served_in_one_event) {
  const auto delta_cycles = [](const char* servers, bool runs) {
    return forked_value([&] {
      MiniMachine machine({"a", "m", "s"}, 16);
      StubNode& a = machine.stub("a");
      machine.add<Sram>("m");
      machine.add<Pipelined>("s", pipeline(20, 6, 5, servers));
      for (const char* peer : {"a", "m"}) machine.connect(peer, "s", {"1000000", 1});
      if (runs) machine.use_runs();
      machine.elaborate();
      a.send_at(machine.write("a", "m", 0, 1024), 0);
      machine.run();
      return sc_core::sc_delta_count();
    });
  };
  for (const char* servers : {"node", "direction", "port"}) {
    BOOST_TEST(delta_cycles(servers, true) < 12U);
    BOOST_TEST(delta_cycles(servers, false) > 64U);
  }
}

// The flits arrive at 105, 109, 113 and leave at 125, 129, 133: in the node from their arrival on,
// in whichever queue.
KERNBENCH_SYSTEMC_TEST(signals_show_the_flits_in_the_pipeline) {
  PipelinedStar t(pipeline(20, 3));
  SignalLog log(t.s);
  t.send("a", "z", 48, 100);
  t.machine.run();
  BOOST_TEST(log.of("inbox") ==
             "0 at 0, 1 at 105, 2 at 109, 3 at 113, 2 at 125, 1 at 129, 0 at 133");
  BOOST_TEST(log.of("serving") == "0 at 0, 1 at 105, 0 at 137");
}

// --- An overhead with several servers

// Both messages are there from 105 on. Node: a's first flit holds the server until 115, b's, which
// has come at 105, too, until 125, and their second flits, of 109, come behind. Links: 4 + 1.
KERNBENCH_SYSTEMC_TEST(one_server_of_the_node_serves_two_pairs_in_series) {
  PipelinedStar t(overhead("node"));
  t.send("a", "y", 32, 100);
  t.send("b", "z", 32, 100);
  t.machine.run();
  BOOST_TEST(t.y.times() == (Times{120, 130}), boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (Times{130, 134}), boost::test_tools::per_element());
}

// Each pair, or output, has a server: a's first flit goes on at 115, and so does b's.
BOOST_AUTO_TEST_CASE(a_server_of_each_pair_or_output_serves_them_concurrently) {
  for (const char* servers : {"port", "direction"}) {
    forked([&] {
      PipelinedStar t(overhead(servers));
      t.send("a", "y", 32, 100);
      t.send("b", "z", 32, 100);
      t.machine.run();
      BOOST_TEST(t.y.times() == (Times{120, 124}), boost::test_tools::per_element());
      BOOST_TEST(t.z.times() == (Times{120, 124}), boost::test_tools::per_element());
      BOOST_TEST(t.statistic("flits") == 4U);
      BOOST_TEST(t.statistic("transactions") == 2U);
      BOOST_TEST(t.statistic("busy") == 20U);
      BOOST_TEST(t.statistic("waiting") == 2U * 6);  // the second flits, from 109 to 115
    });
  }
}

// Two inputs of one output: its link takes the four flits back to back, by the tie rule.
KERNBENCH_SYSTEMC_TEST(pairs_of_one_output_share_its_link) {
  PipelinedStar t(overhead("port"));
  BOOST_TEST(t.two_to_z("b") == (Times{120, 124, 128, 132}), boost::test_tools::per_element());
}

// Two messages of one pair: the second one is there from 113 on, and is held from
// 115, when the first one has gone, until 125.
KERNBENCH_SYSTEMC_TEST(messages_of_one_pair_are_served_in_series) {
  PipelinedStar t(overhead("port"));
  BOOST_TEST(t.two_to_z("a") == (Times{120, 124, 130, 134}), boost::test_tools::per_element());
}

// The first flit holds the server from 105 to 115. The control message comes at 109, behind both
// flits of its link, takes its own 10, and goes on behind both flits at 123: behind the server it
// would arrive at 126.
BOOST_AUTO_TEST_CASE(control_messages_wait_for_no_server_and_hold_none) {
  for (const char* servers : {"node", "direction", "port"}) {
    forked([&] {
      PipelinedStar t(overhead(servers));
      t.send("a", "z", 32, 100);
      t.a.send_at(t.machine.write("a", "z", 0, 0), 106);
      t.machine.run();
      BOOST_TEST(t.z.times() == (Times{120, 124, 124}), boost::test_tools::per_element());
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
