// Finite buffers and credits (spec 2.10), in femtoseconds: flits of 16 B. Links are unlimited with
// 1 fs of propagation unless said otherwise; routers take 10 fs.
#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "models/noc/router.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(credits)

namespace {

using Attributes = std::map<std::string, std::string>;

Attributes router(const std::string& virtual_channels, const std::string& buffer_flits) {
  return {{"overhead_ns", "0.00001"},
          {"virtual_channels", virtual_channels},
          {"buffer_flits", buffer_flits}};
}

const MiniLink slow{"160000", 1};  // a flit in 100 fs

// Sources a, b -> router r -> sinks y (a slow link), z.
struct Fork {
  explicit Fork(const Attributes& attributes) : r(machine.add<Router>("r", attributes)) {
    for (const char* peer : {"a", "b", "z"}) machine.connect(peer, "r");
    machine.connect("r", "y", slow);
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "r", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Router& r;
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

bool has_statistic(const Component& component, const std::string& name) {
  for (const Statistic& statistic : component.statistics()) {
    if (statistic.name == name) return true;
  }
  return false;
}

TraceSignal& signal(Component& component, const std::string& name) {
  for (TraceSignal& signal : component.signals()) {
    if (signal.name() == name) return signal;
  }
  throw std::logic_error(name);
}

bool has_signal(Component& component, const std::string& name) {
  for (const TraceSignal& signal : component.signals()) {
    if (signal.name() == name) return true;
  }
  return false;
}

std::string fault_of(MiniMachine& machine) {
  return error_of<ModelError>([&] { machine.run(); });
}

// A sink with buffers that does with its credits what the test says.
class Sink final : public FabricNode {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
  };
  explicit Sink(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through) {}
  InputBuffer input_buffer() const override { return {1, 2}; }
  int credits_per_flit = 1;
  std::size_t flits = 0;

 private:
  Fs next_due() const override {
    return arrivals_.data() == nullptr ? never_fs : arrivals_.data()->time;
  }
  void serve() override {
    while (next_due() <= now()) {
      const Arrival flit = *arrivals_.data();
      arrivals_.pop_data();
      ++flits;
      for (int i = 0; i < credits_per_flit; ++i) return_credit({flit.port, 0}, now());
      const RouteExtension& route = flit.transaction->route();
      if (flit.flit + 1 == route.flits) route.listener->completed(*flit.transaction);
    }
  }
};

struct ToSink {
  ToSink() {
    machine.connect("a", "z");
    machine.elaborate();
  }
  MiniMachine machine{{"a", "z"}, 16};
  StubNode& a{machine.stub("a")};
  Sink& z{machine.add<Sink>("z")};
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_flit_waits_for_a_place_at_the_far_end) {
  Fork t(router("1", "2"));
  t.a.send_at(t.machine.write("a", "y", 0, 64), 100);
  t.machine.run();
  // Two flits arrive at 101, go on at 111, and leave in 111..211 and 211..311. Their places are
  // free then, known at a 1 fs later: the third one is handed over at 212 and leaves in 311..411,
  // the fourth at 312 and in 411..511.
  BOOST_TEST(t.y.times() == (std::vector<Fs>{212, 312, 412, 512}),
             boost::test_tools::per_element());
  BOOST_TEST(statistic_of(t.a, "credit_waiting") == 112U + 212U);
  BOOST_TEST(statistic_of(t.a, "credit_stalls") == 2U);
  BOOST_TEST(statistic_of(t.a, "credit_queue") == 2U);
  BOOST_TEST(statistic_of(t.b, "credit_stalls") == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_round_trip_of_credits_bounds_the_rate) {
  Fork t(router("1", "1"));
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.machine.run();
  // The first one arrives at 101 and leaves at 111: credit at 112, the second arrives at 113 and
  // leaves at once: credit at 114, arrives at 115.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 114, 116}), boost::test_tools::per_element());
}

// Whatever the order in which a node and its output are woken.
KERNBENCH_SYSTEMC_TEST(a_credit_serves_waiting_flits_before_a_control_message_of_its_instant) {
  MiniMachine machine({"a", "q", "r", "s", "z"}, 16);
  StubNode& a = machine.stub("a");
  StubNode& z = machine.stub("z");
  machine.add<Router>("q", router("1", "0"));
  machine.add<Router>("r", router("1", "1"));
  machine.add<Router>("s", router("1", "1"));
  machine.connect("a", "q");
  machine.connect("q", "r", slow);
  machine.connect("r", "s");
  machine.connect("s", "z", {"160000", 5});
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 48), 100);
  a.send_at(machine.control("a", "z"), 324);
  machine.run();
  // Flit 0 leaves q in 111..211, r at 222 (credit at q: 223), s in 233..333 (credit at r: 334).
  // Flit 1 leaves q in 223..323, arrives at r at 324, leaves it with the credit at 334 (credit at
  // q: 335), s in 335..435. Flit 2 leaves q in 335..435, r at 436, s in 437..537.
  // The message arrives at q at 325 and is handed over at 335, after flit 2: it leaves q at 435, r
  // at 446, is handed over by s at 457 and leaves at 537.
  BOOST_TEST(z.times() == (std::vector<Fs>{338, 440, 542, 542}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(without_buffers_nothing_is_there) {
  Fork t(router("4", "0"));
  BOOST_TEST(!has_statistic(t.a, "credit_waiting"));
  BOOST_TEST(!has_signal(t.a, "to_r_credits"));
}

KERNBENCH_SYSTEMC_TEST(a_message_holds_its_virtual_channel_from_the_first_flit_to_the_last) {
  Fork t(router("2", "4"));  // one channel for requests
  Transaction& first = t.machine.write("a", "z", 0, 32);
  t.a.send_flit_at(first, 0, 100);
  t.a.send_at(t.machine.write("a", "y", 0, 16), 110);
  t.a.send_flit_at(first, 1, 500);
  t.machine.run();
  // The second message has the channel at 500, behind the last flit of the first: arrives at 501,
  // goes on at 511, leaves in 100 fs.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 502}), boost::test_tools::per_element());
  BOOST_TEST(t.y.times() == (std::vector<Fs>{612}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(messages_in_channels_of_their_own_pass_one_another) {
  Fork t(router("4", "1"));  // two channels for requests
  t.a.send_at(t.machine.write("a", "y", 0, 64), 100);
  t.a.send_at(t.machine.write("a", "z", 0, 32), 110);
  t.machine.run();
  // The first flit of the second message arrives at 111, is served in 111..121 and leaves at once,
  // credit at 122; the second arrives at 123.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{122, 124}), boost::test_tools::per_element());
  BOOST_TEST(t.y.times() == (std::vector<Fs>{212, 314, 416, 518}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(control_messages_need_no_credit) {
  Fork t(router("1", "1"));
  t.a.send_at(t.machine.write("a", "y", 0, 64), 100);
  t.a.send_at(t.machine.control("a", "z"), 101);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{113}), boost::test_tools::per_element());
}

// a -> r -> s -> y: s is full, then r, then a waits.
KERNBENCH_SYSTEMC_TEST(back_pressure_goes_from_router_to_router) {
  MiniMachine machine({"a", "r", "s", "y"}, 16);
  StubNode& a = machine.stub("a");
  Router& r = machine.add<Router>("r", router("2", "2"));
  Router& s = machine.add<Router>("s", router("2", "3"));
  StubNode& y = machine.stub("y");
  machine.connect("a", "r");
  machine.connect("r", "s");
  machine.connect("s", "y", slow);
  machine.elaborate();
  a.send_at(machine.write("a", "y", 0, 16 * 8), 100);
  machine.run();
  std::vector<Fs> expected;
  for (Fs i = 0; i < 8; ++i) expected.push_back(223 + i * 100);  // the slow link never idles
  BOOST_TEST(y.times() == expected, boost::test_tools::per_element());
  BOOST_TEST(statistic_of(a, "credit_stalls") > 0U);
  BOOST_TEST(statistic_of(r, "credit_stalls") > 0U);
  BOOST_TEST(statistic_of(r, "credit_queue") == 2U);   // as many as it has places
  BOOST_TEST(statistic_of(s, "credit_stalls") == 0U);  // y takes everything
}

KERNBENCH_SYSTEMC_TEST(signals_show_credits_and_stalled_flits) {
  struct Log final : tlm::tlm_analysis_if<TraceSignal> {
    void write(const TraceSignal& signal) override {
      changes.emplace_back(Component::now(), signal.value());
    }
    std::vector<std::pair<Fs, std::uint64_t>> changes;
  };
  Fork t(router("1", "2"));
  Log credits, stalled;
  signal(t.a, "to_r_credits").changes().bind(credits);
  signal(t.a, "to_r_stalled").changes().bind(stalled);
  BOOST_TEST(signal(t.a, "to_r_credits").value() == 2U);
  t.a.send_at(t.machine.write("a", "y", 0, 48), 100);
  t.machine.run();
  const auto last = [](const Log& log, Fs at) {
    std::uint64_t value = ~std::uint64_t{0};
    for (const auto& [time, seen] : log.changes) {
      if (time <= at) value = seen;
    }
    return value;
  };
  // Credits come back at 212, 312 and 412: the first one is used at once.
  BOOST_TEST(last(credits, 100) == 0U);
  BOOST_TEST(last(stalled, 100) == 1U);
  BOOST_TEST(last(stalled, 212) == 0U);
  BOOST_TEST(last(credits, 311) == 0U);
  BOOST_TEST(last(credits, 312) == 1U);
  BOOST_TEST(last(credits, 412) == 2U);
}

// --- What the monitors find

KERNBENCH_SYSTEMC_TEST(credits_that_come_home_are_in_order) {
  ToSink t;
  t.a.send_at(t.machine.write("a", "z", 0, 16 * 5), 100);
  BOOST_TEST(fault_of(t.machine) == "");
  BOOST_TEST(t.z.flits == 5U);
  BOOST_TEST(t.machine.monitors().unfinished() == "");
}

KERNBENCH_SYSTEMC_TEST(a_credit_that_comes_back_twice_is_found) {
  ToSink t;
  t.z.credits_per_flit = 2;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);
  BOOST_TEST(
      fault_of(t.machine).find("a credit of virtual channel 0 that has been returned already") !=
      std::string::npos);
}

KERNBENCH_SYSTEMC_TEST(a_credit_that_never_comes_back_is_found_at_the_end) {
  ToSink t;
  t.z.credits_per_flit = 0;
  t.a.send_at(t.machine.write("a", "z", 0, 32), 100);
  BOOST_TEST(fault_of(t.machine) == "");
  BOOST_TEST(t.machine.monitors().unfinished().find(
                 "2 credits of virtual channel 0 have not been returned") != std::string::npos);
}

KERNBENCH_SYSTEMC_TEST(who_waits_for_credits_is_a_pending_wait) {
  ToSink t;
  t.z.credits_per_flit = 0;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  BOOST_CHECK_THROW(t.machine.run(), std::logic_error);  // a transaction has not ended
  const std::vector<PendingWaits::Waiter> waiters = t.machine.pending_waits().waiters();
  BOOST_REQUIRE(waiters.size() == 1U);
  BOOST_TEST(waiters[0].who == "a");
  BOOST_TEST(waiters[0].what == "credits of z");
  BOOST_TEST(waiters[0].since == 100U);
  BOOST_TEST(waiters[0].state() ==
             "\n    virtual channel 0 without a credit: 1 flits of a request from a to z");
}

// A sender that keeps no account of its credits.
KERNBENCH_SYSTEMC_TEST(a_flit_without_a_credit_and_a_channel_of_another_message_are_found) {
  struct Careless final : sc_core::sc_module, FabricBackward {
    explicit Careless(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
      out.bind(static_cast<FabricBackward&>(*this));
    }
    void credit(std::uint32_t, std::uint32_t, Fs) override {}
    FabricInitiatorSocket out;
  };
  MiniMachine machine({"a", "z"}, 16);
  StubNode& a = machine.stub("a");
  Sink& z = machine.add<Sink>("z");
  machine.connect("a", "z");
  std::vector<std::string> violations;
  ProtocolMonitors monitors(
      [&](const sc_core::sc_object&, const std::string& what) { violations.push_back(what); });
  Careless careless("careless");
  Link link("link", Rational(0), 1, 16, machine.observation().link_traversals);
  link.connect(careless.out, z.add_input(0, "careless"), &monitors, machine.id("a"),
               machine.id("z"), true, z.input_buffer());
  machine.elaborate();
  z.credits_per_flit = 0;
  const auto found = [&](const std::string& what) {
    for (const std::string& each : violations) {
      if (each.find(what) != std::string::npos) return true;
    }
    return false;
  };
  Transaction& first = machine.write("a", "z", 0, 64);
  for (std::uint32_t flit = 0; flit < 2; ++flit) careless.out->accept(first, {flit, 1, 1, 0}, 100);
  BOOST_TEST(violations.empty());
  careless.out->accept(first, {2, 1, 1, 0}, 100);
  BOOST_TEST(found("a flit without a credit of virtual channel 0"));
  careless.out->accept(machine.write("a", "z", 0, 32), {0, 1, 1, 0}, 100);
  BOOST_TEST(found("a flit in virtual channel 0, which another message holds"));
  careless.out->accept(machine.write("a", "z", 0, 16), {0, 1, 1, 5}, 100);
  BOOST_TEST(found("virtual channel 5 of 1"));
  static_cast<void>(a);
}

BOOST_AUTO_TEST_SUITE_END()
