// Signals of the fabric: what a node's inbox holds, what it serves, how its links are occupied
// (spec 11.1). Flits of 16 B on links of 4 fs per flit with 1 fs of propagation; a router of 10 fs.
#include <boost/test/unit_test.hpp>
#include <optional>
#include <vector>

#include "models/noc/router.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(signals)

namespace {

// a - r - z; b - r.
struct Line {
  explicit Line(const std::string& overhead_ns = "0.00001", const MiniLink& link = {"4e6", 1})
      : r(machine.add<Router>("r", {{"overhead_ns", overhead_ns}})) {
    for (const char* peer : {"a", "b", "z"}) machine.connect(peer, "r", link);
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "r", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  StubNode& z{machine.stub("z")};
  Router& r;
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_link_is_busy_from_the_start_of_a_flit_until_it_has_left) {
  Line t;
  SignalLog log(t.a);
  Transaction& write = t.machine.write("a", "z", 0, 24);
  t.a.send_at(write, 100);  // 16 B: 100..104, 8 B: 104..106
  t.machine.run();
  BOOST_TEST(log.of("to_r_busy") == "0 at 0, 1 at 100, 0 at 106");
  BOOST_TEST(log.of("to_r_bytes") == "0 at 0, 16 at 100, 8 at 104, 0 at 106");
  BOOST_TEST(log.of("to_r_transaction") == "x at 0, 0 at 100, x at 106");  // a is node 0
}

// The first flit is held from 105 to 115, the others come at 109 and 113 and pass behind it.
KERNBENCH_SYSTEMC_TEST(an_inbox_holds_what_has_come_and_not_what_is_on_its_way) {
  Line t;
  SignalLog log(t.r);
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(log.of("inbox") == "0 at 0, 1 at 105, 2 at 109, 3 at 113, 0 at 115");
  BOOST_TEST(log.of("to_z_waiting") == "0 at 0, 2 at 115, 1 at 119, 0 at 123");
  BOOST_TEST(log.of("to_z_busy") == "0 at 0, 1 at 115, 0 at 127");
}

KERNBENCH_SYSTEMC_TEST(one_flit_per_nanosecond_never_fills_an_inbox_that_serves_it_at_once) {
  Line t("0", {"16", 1});  // 16 B at 16 GB/s: 1 ns
  SignalLog log(t.r);
  t.a.send_at(t.machine.write("a", "z", 0, 128), 0);
  t.machine.run();
  BOOST_TEST(log.of("inbox") == "0 at 0");
  BOOST_TEST(log.of("to_z_waiting") == "0 at 0");
  BOOST_TEST(log.of("to_z_busy") == "0 at 0, 1 at 1000001, 0 at 9000001");
}

KERNBENCH_SYSTEMC_TEST(a_node_shows_the_message_that_it_serves_until_its_last_byte_has_left) {
  Line t;
  SignalLog log(t.r);
  Transaction& write = t.machine.write("a", "z", 0, 16);
  write.set_address(0x1000);
  t.a.send_at(write, 100);                             // held 105..115, leaves until 119
  t.b.send_at(t.machine.write("b", "z", 0, 32), 110);  // comes at 115, 119; held 115..125
  t.machine.run();
  BOOST_TEST(log.of("serving") == "0 at 0, 1 at 105, 0 at 133");
  BOOST_TEST(log.of("kind") == "idle at 0, write at 105, idle at 133");
  BOOST_TEST(log.of("source") == "x at 0, a at 105, b at 115, x at 133");
  BOOST_TEST(log.of("destination") == "x at 0, z at 105, x at 133");
  BOOST_TEST(log.of("address") == "x at 0, 4096 at 105, 0 at 115, x at 133");
  BOOST_TEST(log.of("bytes") == "0 at 0, 16 at 105, 32 at 115, 0 at 133");
  BOOST_TEST(log.of("transaction") == "x at 0, 0 at 105, 4294967296 at 115, x at 133");
}

// Flits of 40, 80 and 40 fs on links of their own, from 105, 106 and 107 on.
KERNBENCH_SYSTEMC_TEST(a_node_serves_as_long_as_any_of_its_links_is_taken) {
  struct Way {
    const char *from, *to, *gbs;
  };
  const Way ways[] = {{"a", "x", "4e5"}, {"b", "y", "2e5"}, {"c", "z", "4e5"}};
  MiniMachine machine({"a", "b", "c", "r", "x", "y", "z"}, 16);
  Router& r = machine.add<Router>("r");
  std::vector<StubNode*> sources;
  for (const Way& way : ways) {
    sources.push_back(&machine.stub(way.from));
    machine.stub(way.to);
    machine.connect(way.from, "r", {"4e6", 1});
    machine.connect("r", way.to, {way.gbs, 1});
  }
  machine.elaborate();
  SignalLog log(r);
  for (std::size_t i = 0; i < 3; ++i)
    sources[i]->send_at(machine.write(ways[i].from, ways[i].to, 0, 16), 100 + i);
  machine.run();
  BOOST_TEST(log.of("to_y_busy") == "0 at 0, 1 at 106, 0 at 186");
  BOOST_TEST(log.of("serving") == "0 at 0, 1 at 105, 0 at 186");
  BOOST_TEST(log.of("source") == "x at 0, a at 105, b at 145, x at 186");
}

// No overhead and no flits: nothing would be seen of it otherwise.
KERNBENCH_SYSTEMC_TEST(a_message_that_takes_no_time_stays_until_the_next) {
  Line t("0");
  SignalLog log(t.r);
  t.a.send_at(t.machine.control("a", "z"), 100);
  t.b.send_at(t.machine.control("b", "z"), 200);
  t.machine.run();
  BOOST_TEST(log.of("source") == "x at 0, a at 101, b at 201");
  BOOST_TEST(log.of("kind") == "idle at 0, message at 101");
  BOOST_TEST(log.of("address") == "x at 0");
  BOOST_TEST(log.of("serving") == "0 at 0");
}

KERNBENCH_SYSTEMC_TEST(streams_that_merge_make_no_pulses) {
  Line t;
  SignalLog log(t.r);
  for (std::uint32_t flit = 0; flit < 8; ++flit) {
    t.a.send_at(t.machine.write("a", "z", 0, 64), 100 + 40 * flit);
    t.b.send_at(t.machine.write("b", "z", 0, 40), 116 + 32 * flit);
  }
  t.machine.run();
  BOOST_TEST(log.shortest() >= 2U);  // every arrival and every departure lies at an odd time
}

BOOST_AUTO_TEST_CASE(observers_change_no_time_and_end_no_run_later) {
  const auto run = [](bool observed) {
    return forked_value([observed] {
      Line t;
      std::optional<SignalLog> log;
      if (observed) log.emplace(t.r);
      t.a.send_at(t.machine.write("a", "z", 0, 64), 100);
      t.b.send_at(t.machine.posted_write("b", "z", 0, 40), 101);
      t.machine.run();
      std::vector<Fs> times = t.z.times();
      times.push_back(Component::now());
      return times;
    });
  };
  BOOST_TEST(run(true) == run(false), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(unrequested_signals_do_not_exist) {
  Line t;
  BOOST_TEST(!t.machine.observation().link_traversals.observed());
  BOOST_TEST(t.r.signals().size() > 8U);
  BOOST_TEST(!t.machine.observation().link_traversals.observed());  // asked for, not observed
  SignalLog log(t.r);
  BOOST_TEST(t.machine.observation().link_traversals.observed());
}

BOOST_AUTO_TEST_SUITE_END()
