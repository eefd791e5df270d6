// Router nodes (spec 2.4) and the tie rule (2.3), in femtoseconds: flits of 16 B. Links are
// unlimited with 1 fs of propagation unless said otherwise, so that what a source hands over at t
// arrives at t + 1.
#include "models/noc/router.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/support/error_text.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(router)

namespace {

const std::string ten_fs = "0.00001";  // ns

// Sources a, b, c -> router r (10 fs) -> sinks y, z.
struct Star {
  Star() {
    for (const char* peer : {"a", "b", "c", "y", "z"}) machine.connect(peer, "r");
    machine.elaborate();
  }
  MiniMachine machine{{"a", "b", "c", "r", "y", "z"}, 16};
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  StubNode& c{machine.stub("c")};
  Router& r{machine.add<Router>("r", {{"overhead_ns", ten_fs}})};
  StubNode& y{machine.stub("y")};
  StubNode& z{machine.stub("z")};

  std::uint64_t statistic(const std::string& name) const { return statistic_of(r, name); }
};

// "source flit" of all that a sink has received, in order.
std::vector<std::string> order(const MiniMachine& machine, const StubNode& sink) {
  std::vector<std::string> names;
  for (const Received& received : sink.records()) {
    for (const char* source : {"a", "b", "c"}) {
      if (received.key.initiator == machine.id(source))
        names.push_back(std::string(source) + std::to_string(received.flit));
    }
  }
  return names;
}

}  // namespace

KERNBENCH_SYSTEMC_TEST(the_first_flit_pays_the_overhead_and_later_ones_do_not) {
  Star t;
  Transaction& write = t.machine.write("a", "z", 0, 48);
  t.a.send_flit_at(write, 0, 100);
  t.a.send_flit_at(write, 1, 130);
  t.a.send_flit_at(write, 2, 140);
  t.machine.run();
  // Arrive at 101, 131, 141; the first goes on at 111, the others at once; 1 fs to z.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 132, 142}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("transactions") == 1U);
  BOOST_TEST(t.statistic("flits") == 3U);
  BOOST_TEST(t.statistic("busy") == 10U);
  BOOST_TEST(t.statistic("waiting") == 0U);
}

KERNBENCH_SYSTEMC_TEST(later_flits_wait_behind_their_own_first_flit) {
  Star t;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 112, 112}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("waiting") == 20U);
  BOOST_TEST(t.statistic("longest_wait") == 10U);
}

KERNBENCH_SYSTEMC_TEST(the_server_is_serial_over_all_inputs_and_outputs) {
  Star t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);  // held 101..111
  t.b.send_at(t.machine.write("b", "y", 0, 16), 103);  // arrives at 104, held 111..121
  t.c.send_at(t.machine.write("c", "z", 0, 16), 119);  // arrives at 120, held 121..131
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 132}), boost::test_tools::per_element());
  BOOST_TEST(t.y.times() == (std::vector<Fs>{122}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(later_flits_wait_behind_whatever_holds_the_server) {
  Star t;
  Transaction& write = t.machine.write("a", "z", 0, 32);
  t.a.send_flit_at(write, 0, 100);                     // held 101..111
  t.b.send_at(t.machine.write("b", "y", 0, 16), 112);  // held 113..123
  t.a.send_flit_at(write, 1, 114);                     // arrives at 115, passes at 123
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 124}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(control_messages_pay_the_overhead_but_neither_wait_nor_hold) {
  Star t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);  // held 101..111
  t.b.send_at(t.machine.control("b", "y"), 102);       // arrives at 103, goes on at 113
  t.b.send_at(t.machine.control("b", "y"),
              104);  // arrives at 105, goes on at 115: does not wait for the other
  t.c.send_at(t.machine.write("c", "z", 0, 16),
              103);  // arrives at 104, held 111..121: not by the control messages
  t.machine.run();
  BOOST_TEST(t.y.times() == (std::vector<Fs>{114, 116}), boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 122}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("control_messages") == 2U);
}

// Responses are legs like these: tests/cube has them end to end.
KERNBENCH_SYSTEMC_TEST(every_transaction_of_one_source_has_a_first_flit_of_its_own) {
  Star t;
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 122}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("busy") == 20U);
}

KERNBENCH_SYSTEMC_TEST(merging_streams_interleave_flit_by_flit_in_order_of_arrival) {
  Star t;
  Transaction& from_a = t.machine.write("a", "z", 0, 48);
  Transaction& from_b = t.machine.write("b", "z", 0, 48);
  for (std::uint32_t flit = 0; flit < 3; ++flit) {
    t.a.send_flit_at(from_a, flit, 100 + 40 * flit);
    t.b.send_flit_at(from_b, flit, 120 + 40 * flit);
  }
  t.machine.run();
  BOOST_TEST(
      order(t.machine, t.z) == (std::vector<std::string>{"a0", "b0", "a1", "b1", "a2", "b2"}),
      boost::test_tools::per_element());
  // First flits 10 fs after arrival, the others at arrival.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 132, 142, 162, 182, 202}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(ties_go_by_the_upstream_nodes_name) {
  Star t;
  t.c.send_at(t.machine.write("c", "z", 0, 16, 1), 100);  // smallest id, but the last name
  t.b.send_at(t.machine.write("b", "z", 0, 16, 2), 100);
  t.a.send_at(t.machine.write("a", "z", 0, 16, 3), 100);
  t.machine.run();
  BOOST_TEST(order(t.machine, t.z) == (std::vector<std::string>{"a0", "b0", "c0"}),
             boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112, 122, 132}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(ties_of_one_upstream_node_go_by_id_then_flit) {
  Star t;
  Transaction& later = t.machine.write("a", "z", 0, 32, 9);
  Transaction& sooner = t.machine.write("a", "y", 0, 32, 4);
  t.a.send_at(later, 100);  // handed over first, arrive at one instant
  t.a.send_at(sooner, 100);
  t.machine.run();
  // In order: sooner 0 (held 101..111), sooner 1 (111), later 0 (held 111..121), later 1.
  BOOST_TEST(t.y.times() == (std::vector<Fs>{112, 112}), boost::test_tools::per_element());
  BOOST_TEST(t.z.times() == (std::vector<Fs>{122, 122}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ids_compare_by_issue_time_initiator_and_count) {
  BOOST_TEST((TieKey{1, 9, 9} < TieKey{2, 0, 0}));
  BOOST_TEST((TieKey{1, 1, 9} < TieKey{1, 2, 0}));
  BOOST_TEST((TieKey{1, 1, 1} < TieKey{1, 1, 2}));
  BOOST_TEST(!(TieKey{1, 1, 1} < TieKey{1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(what_goes_on_at_one_instant_goes_in_order_of_arrival) {
  // r -> z carries 16 B in 4 fs. The control message arrives at 101 and goes on at 111. So does a's
  // flit, which arrived at 101 too, from a smaller name: it goes first and the control message
  // waits for it: 115. Had the control message come from a and the flit from b, it would have gone
  // at 111.
  const auto control_leaves_at = [](bool control_from_a) {
    MiniMachine machine({"a", "b", "r", "z"}, 16);
    StubNode& a = machine.stub("a");
    StubNode& b = machine.stub("b");
    machine.add<Router>("r", {{"overhead_ns", ten_fs}});
    StubNode& z = machine.stub("z");
    machine.connect("a", "r");
    machine.connect("b", "r");
    machine.connect("r", "z", {"4e6", 1});
    machine.elaborate();
    (control_from_a ? a : b).send_at(machine.control(control_from_a ? "a" : "b", "z"), 100);
    (control_from_a ? b : a).send_at(machine.write(control_from_a ? "b" : "a", "z", 0, 16), 100);
    machine.run();
    for (const Received& received : z.records()) {
      if (received.bytes == 0) return received.time - 1;
    }
    return never_fs;
  };
  BOOST_TEST(forked_value([&] { return control_leaves_at(false); }) == 115U);
  BOOST_TEST(forked_value([&] { return control_leaves_at(true); }) == 111U);
}

KERNBENCH_SYSTEMC_TEST(an_earlier_arrival_announced_later_is_served_first) {
  // The far source announces at 100 what arrives at 600; the near one announces at 300 what arrives
  // at 301.
  MiniMachine machine({"far", "near", "r", "z"}, 16);
  StubNode& far = machine.stub("far");
  StubNode& near = machine.stub("near");
  machine.add<Router>("r", {{"overhead_ns", ten_fs}});
  StubNode& z = machine.stub("z");
  machine.connect("far", "r", {"0", 500});
  machine.connect("near", "r");
  machine.connect("r", "z");
  machine.elaborate();
  far.send_at(machine.write("far", "z", 0, 16), 100);
  near.send_at(machine.write("near", "z", 0, 16), 300);
  near.send_at(machine.write("near", "z", 0, 16),
               594);  // arrives at 595, holds 595..605, so that 600 waits
  machine.run();
  BOOST_TEST(z.times() == (std::vector<Fs>{312, 606, 616}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_message_streams_through_many_hops) {
  // a -> r0 -> ... -> r9 -> z, 4 fs per flit and link, 1 fs of propagation, 10 fs per router. The
  // first of 100 flits is at z after 11 links of 5 fs and 10 overheads; the rest follow 4 fs apart:
  // nothing is reassembled.
  constexpr int hops = 10;
  std::vector<std::string> names{"a", "z"};
  for (int i = 0; i < hops; ++i) names.push_back("r" + std::to_string(i));
  MiniMachine machine(names, 16);
  StubNode& a = machine.stub("a");
  StubNode& z = machine.stub("z");
  for (int i = 0; i < hops; ++i)
    machine.add<Router>("r" + std::to_string(i), {{"overhead_ns", ten_fs}});
  machine.connect("a", "r0", {"4e6", 1});
  for (int i = 1; i < hops; ++i)
    machine.connect("r" + std::to_string(i - 1), "r" + std::to_string(i), {"4e6", 1});
  machine.connect("r9", "z", {"4e6", 1});
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 1600), 0);
  machine.run();
  BOOST_TEST(z.records().size() == 100U);
  BOOST_TEST(z.records().front().time == 11U * 5U + 10U * 10U);
  BOOST_TEST(z.records().back().time == 11U * 5U + 10U * 10U + 99U * 4U);
}

// 10^19 fs of propagation twice: the sum of 2 * 10^19 wraps round 2^64 = 1.8 * 10^19, to a time
// before now.
KERNBENCH_SYSTEMC_TEST(an_arrival_beyond_the_end_of_time_ends_the_run) {
  MiniMachine machine({"a", "r", "z"}, 16);
  StubNode& a = machine.stub("a");
  machine.add<Router>("r");
  machine.stub("z");
  constexpr Fs far = 10'000'000'000'000'000'000U;
  machine.connect("a", "r", {"0", far});
  machine.connect("r", "z", {"0", far});
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 16), 0);
  BOOST_CHECK_EXCEPTION(machine.run(), ModelError, [](const ModelError& error) {
    return std::string(error.what())
               .find(
                   "z: simulated time would pass the 18446 s that 64 bits of femtoseconds hold") !=
           std::string::npos;
  });
}

namespace {

// Once it has served something, it is due at 1 fs.
struct PastService : SerialService {
  using SerialService::SerialService;
  Fs next_due() const { return has_served ? 1 : SerialService::next_due(); }
  template <class PassOn>
  void serve(Fs now, PassOn pass_on) {
    SerialService::serve(now, pass_on);
    has_served = true;
  }
  bool has_served = false;
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(a_service_that_is_due_in_the_past_is_named) {
  MiniMachine machine({"a", "r", "z"}, 16);
  StubNode& a = machine.stub("a");
  machine.add<RouterNode<PastService>>("r");
  machine.stub("z");
  machine.connect("a", "r");
  machine.connect("r", "z");
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 16), 5 * fs_per_ns);
  BOOST_TEST(error_of<ModelError>([&] { machine.run(); }) ==
             "r: next_due() is 0.000001 ns, in the past: allowed is the current time or later");
}

KERNBENCH_SYSTEMC_TEST(shows_each_traversal_to_an_observer) {
  struct Traversals final : tlm::tlm_analysis_if<NodeTraversal> {
    explicit Traversals(const FabricNode& node) : router(node) {}
    void write(const NodeTraversal& traversal) override {
      if (&traversal.node != &router) return;
      seen.push_back(traversal.arrival.time);
      seen.push_back(traversal.start);
      seen.push_back(Component::now());
    }
    const FabricNode& router;
    std::vector<Fs> seen;
  };
  Star t;
  Traversals traversals(t.r);
  t.machine.observation().node_traversals.bind(traversals);
  t.a.send_at(t.machine.write("a", "z", 0, 16), 100);
  t.b.send_at(t.machine.write("b", "z", 0, 16), 103);
  t.machine.run();
  BOOST_TEST(traversals.seen == (std::vector<Fs>{101, 101, 111, 104, 111, 121}),
             boost::test_tools::per_element());
}

namespace {

class Faulty final : public FabricNode {
 public:
  struct Parameters : ParameterSet {
    using ParameterSet::ParameterSet;
  };
  explicit Faulty(const ComponentInit& init)
      : FabricNode(init, ArrivalQueue::Forwarding::cut_through) {}

 private:
  void accepted(std::uint32_t, Transaction&, FlitRun, Fs) override {
    throw ModelError("there is no table");
  }
  Fs next_due() const override { return never_fs; }
  void serve() override {}
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(an_error_of_a_receiver_names_it_and_not_the_router_before_it) {
  MiniMachine machine({"a", "r", "z"}, 16);
  StubNode& a = machine.stub("a");
  machine.add<Router>("r", {{"overhead_ns", ten_fs}});
  machine.add<Faulty>("z");
  machine.connect("a", "r");
  machine.connect("r", "z");
  machine.elaborate();
  a.send_at(machine.write("a", "z", 0, 16), 100);
  const std::string fault = error_of<ModelError>([&] { machine.run(); });
  check_contains(fault, {"z", "there is no table"});
  BOOST_TEST(fault.find("r:") == std::string::npos, fault);
}

BOOST_AUTO_TEST_SUITE_END()
