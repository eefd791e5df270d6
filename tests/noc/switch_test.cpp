// The switch (spec 2.4): one serial server, or one for each pair of ports, in femtoseconds: flits
// of 16 B. Links take 4 fs for each and have 1 fs of propagation: what a source hands over at t
// arrives at t + 5, its next flit at t + 9. The first flit of a message holds its server for 10 fs.
#include <boost/test/unit_test.hpp>

#include "models/noc/switch_service.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(switch_service)

namespace {

using Switch = RouterNode<SwitchService>;
const char* const ten_fs = "0.00001";  // ns

// A link from each of a, b, y, z to the switch s.
struct Star {
  explicit Star(const char* serial_per)
      : s(machine.add<Switch>("s", {{"overhead_ns", ten_fs}, {"serial_per", serial_per}})) {
    for (const char* peer : {"a", "b", "y", "z"}) machine.connect(peer, "s", {"4000000", 1});
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const { return statistic_of(s, name); }
  // 32 bytes, two flits, at 100.
  void send(StubNode& source, const char* from, const char* to) {
    source.send_at(machine.write(from, to, 0, 32), 100);
  }
  // Times at which flits reach z, of one message from a and one from `other`.
  std::vector<Fs> two_to_z(StubNode& other, const char* name) {
    send(a, "a", "z");
    send(other, name, "z");
    machine.run();
    return z.times();
  }
  MiniMachine machine{{"a", "b", "s", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  Switch& s;
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};
};

using Times = std::vector<Fs>;

}  // namespace

// Both messages are there from 105 on. Node: a's first flit holds the server until 115, b's, which
// has come at 105, too, until 125, and their second flits, of 109, come behind. Links: 4 + 1.
KERNBENCH_SYSTEMC_TEST(one_server_of_the_node_serves_two_pairs_sequentially) {
  Star t("node");
  t.send(t.a, "a", "y");
  t.send(t.b, "b", "z");
  t.machine.run();
  BOOST_TEST(t.y.times() == (Times{120, 130}), boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (Times{130, 134}), boost::test_tools::per_element());
}

// Each pair has a server: a's first flit goes on at 115, and so does b's.
KERNBENCH_SYSTEMC_TEST(a_server_of_each_pair_serves_them_side_by_side) {
  Star t("port");
  t.send(t.a, "a", "y");
  t.send(t.b, "b", "z");
  t.machine.run();
  BOOST_TEST(t.y.times() == (Times{120, 124}), boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (Times{120, 124}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("flits") == 4U);
  BOOST_TEST(t.statistic("transactions") == 2U);
  BOOST_TEST(t.statistic("busy") == 20U);
  BOOST_TEST(t.statistic("waiting") == 2U * 6);  // the second flits, from 109 to 115
}

// Two inputs of one output: its link takes the four flits back to back, by the tie rule.
KERNBENCH_SYSTEMC_TEST(pairs_of_one_output_share_its_link) {
  Star t("port");
  BOOST_TEST(t.two_to_z(t.b, "b") == (Times{120, 124, 128, 132}), boost::test_tools::per_element());
}

// Two messages of one pair: the second one arrives at 113 and is served from 115, when the first
// one has left, until 125.
KERNBENCH_SYSTEMC_TEST(messages_of_one_pair_are_served_sequentially) {
  Star t("port");
  BOOST_TEST(t.two_to_z(t.a, "a") == (Times{120, 124, 130, 134}), boost::test_tools::per_element());
}

// The first flit holds the server from 105 to 115. The control message comes at 109, behind both
// flits of its link, takes its own 10, and goes on behind both flits at 123: behind the server it
// would arrive at 126.
BOOST_AUTO_TEST_CASE(control_messages_wait_for_no_server_and_hold_none) {
  for (const char* serial_per : {"node", "port"}) {
    forked([&] {
      Star t(serial_per);
      t.send(t.a, "a", "z");
      t.a.send_at(t.machine.write("a", "z", 0, 0), 106);
      t.machine.run();
      BOOST_TEST(t.z.times() == (Times{120, 124, 124}), boost::test_tools::per_element());
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
