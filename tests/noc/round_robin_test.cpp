// RouterNode with a service from outside (tests/rules/round_robin_outputs.h), in femtoseconds:
// flits of 16 B; the link to z takes 10 fs for each, the others none; 1 fs of propagation.
#include <boost/test/unit_test.hpp>

#include "models/noc/router.h"
#include "tests/rules/round_robin_outputs.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(round_robin)

namespace {

template <class Node>
struct Star {
  Star() {
    for (const char* peer : {"a", "b", "y"}) machine.connect(peer, "r");
    machine.connect("r", "z", {"1600000", 1});
    machine.elaborate();
  }
  // "source flit" of all that a sink has received, in order.
  std::string order(const StubNode& sink) const {
    std::string names;
    for (const Received& received : sink.records()) {
      names +=
          (received.key.initiator == machine.id("a") ? " a" : " b") + std::to_string(received.flit);
    }
    return names;
  }
  std::uint64_t statistic(const std::string& name) const { return statistic_of(r, name); }
  MiniMachine machine{{"a", "b", "r", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Node& r{machine.add<Node>("r", {{"overhead_ns", "0"}})};
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

// A service that says, of what leaves at once, that it has begun `offset` fs after now.
template <int offset>
class WrongStart : public SerialService {
 public:
  using SerialService::SerialService;
  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    SerialService::serve(now, [&](const Arrival& arrival, Fs /*start*/) {
      pass_on(arrival, now + static_cast<Fs>(offset));
    });
  }
};

template <class Service>
std::string fault_of_a_traversal() {
  Star<RouterNode<Service>> t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);
  return error_of<std::exception>([&] { t.machine.run(); });
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_service_that_begins_after_now_ends_the_run) {
  BOOST_TEST(fault_of_a_traversal<WrongStart<1>>() ==
             "r: its service reports a start at 0.000102 ns for an arrival at 0.000101 ns that is "
             "forwarded now, at 0.000101 ns");
}
KERNBENCH_SYSTEMC_TEST(a_service_that_begins_before_the_arrival_ends_the_run) {
  BOOST_TEST(fault_of_a_traversal<WrongStart<-1>>() ==
             "r: its service reports a start at 0.0001 ns for an arrival at 0.000101 ns that is "
             "forwarded now, at 0.000101 ns");
}
KERNBENCH_SYSTEMC_TEST(a_service_that_begins_with_the_arrival_is_accepted) {
  BOOST_TEST(fault_of_a_traversal<WrongStart<0>>() == "");
}

// All flits of both are at the router at 101; the link sends one every 10 fs either way.
KERNBENCH_SYSTEMC_TEST(the_built_in_service_sends_in_order_of_arrival_and_another_in_turn) {
  const std::vector<Fs> times{112, 122, 132, 142, 152, 162};
  Star<RouterNode<RoundRobinOutputs>> t;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.b.send_at(t.machine.write("b", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.order(t.z) == " a0 b0 a1 b1 a2 b2");
  BOOST_TEST(t.z.times() == times, boost::test_tools::per_element());
  BOOST_TEST(t.statistic("turns") == 5U);
  BOOST_TEST(t.statistic("flits") == 6U);
  BOOST_TEST(t.statistic("transactions") == 2U);
  BOOST_TEST(t.statistic("waiting") == 10U + 20 + 30 + 40 + 50);
}

KERNBENCH_SYSTEMC_TEST(the_built_in_service_sends_one_message_after_the_other) {
  Star<Router> t;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.b.send_at(t.machine.write("b", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.order(t.z) == " a0 a1 a2 b0 b1 b2");
}

// A queue per input and output: what waits for z is not in the way of what goes to y.
KERNBENCH_SYSTEMC_TEST(another_output_is_not_waited_for) {
  Star<RouterNode<RoundRobinOutputs>> t;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.b.send_at(t.machine.write("b", "y", 0, 32), 100);
  t.machine.run();
  BOOST_TEST(t.y.times() == (std::vector<Fs>{102, 102}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
