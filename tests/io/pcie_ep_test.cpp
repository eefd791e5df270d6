// The PCIe end point and the UAL end point (spec 2.6), in femtoseconds: flits of 16 B, 10 fs of
// overhead. a - e - z, links of 4 fs per flit with 1 fs of propagation.
#include "models/io/pcie_ep.h"

#include <sysc/kernel/sc_spawn.h>

#include <boost/test/unit_test.hpp>

#include "models/cube/sram.h"
#include "models/io/endpoint.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using kernbench::test::forked;
using kernbench::test::forked_value;
using kernbench::test::MiniLink;
using kernbench::test::MiniMachine;
using kernbench::test::SignalLog;
using kernbench::test::StubNode;

BOOST_AUTO_TEST_SUITE(pcie_ep)

namespace {

using Settings = std::map<std::string, std::string>;

const MiniLink link{"4e6", 1};

struct Tested {
  explicit Tested(const Settings& attributes = {}, const MiniLink& from_a = link)
      : machine({"a", "e", "s", "z"}, 16) {
    Settings settings = attributes;
    settings.insert({"overhead_ns", "0.00001"});
    e = &machine.add<PcieEp>("e", settings);
    machine.add<Sram>("s", {{"overhead_ns", "0.00001"}});
    machine.connect("a", "e", from_a, link);
    machine.connect("e", "z", link);
    machine.connect("e", "s", link);
    machine.elaborate();
  }

  // Injects at `at`, in a process of its own.
  void inject_at(Transaction& transaction, Fs at) {
    sc_core::sc_spawn([this, handle = TransactionHandle(transaction), at] {
      if (at > Component::now()) sc_core::wait(Component::fs(at - Component::now()));
      machine.issue(*handle);
    });
  }
  const Statistic& declared(const std::string& name) const {
    for (const Statistic& statistic : e->statistics()) {
      if (statistic.name == name) return statistic;
    }
    throw std::logic_error(name);
  }
  std::uint64_t statistic(const std::string& name) const { return *declared(name).value; }

  MiniMachine machine;
  StubNode& a{machine.stub("a")};
  StubNode& z{machine.stub("z")};
  PcieEp* e = nullptr;
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(an_injected_message_leaves_an_overhead_after_its_issue_all_flits_at_once) {
  Tested t;
  t.inject_at(t.machine.write("e", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{115, 119, 123}),
             boost::test_tools::per_element());  // 110 + 4 i + 4 + 1
  BOOST_TEST(t.statistic("injected") == 1U);
}

KERNBENCH_SYSTEMC_TEST(injected_messages_do_not_hold_each_other_up) {
  Tested t;
  t.inject_at(t.machine.control("e", "z", 100), 100);
  t.inject_at(t.machine.control("e", "z", 104), 104);
  t.inject_at(t.machine.control("e", "z", 104, true), 104);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{111, 115, 115}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(what_passes_through_is_stored_and_forwarded) {
  Tested t;
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);  // at e: 105, 109, 113; leaves at 123
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{128, 132, 136}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("passed") == 1U);
}

KERNBENCH_SYSTEMC_TEST(control_messages_that_pass_through_pay_the_overhead) {
  Tested t;
  t.a.send_at(t.machine.control("a", "z"), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{112}),
             boost::test_tools::per_element());  // 101 + 10 + 1
}

KERNBENCH_SYSTEMC_TEST(with_cut_through_it_is_a_transit) {
  Tested t(Settings{{"cut_through", "true"}});
  t.a.send_at(t.machine.write("a", "z", 0, 48),
              100);  // at e: 105, 109, 113; the first holds until 115, the others follow
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{120, 124, 128}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("passed") == 1U);
}

KERNBENCH_SYSTEMC_TEST(with_cut_through_injection_still_neither_waits_nor_holds) {
  Tested t(Settings{{"cut_through", "true"}}, {"0", 1});
  t.a.send_at(t.machine.write("a", "s", 0, 16), 100);       // held 101..111
  t.inject_at(t.machine.write("e", "z", 0, 32, 105), 105);  // leaves at 115, all at once
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{120, 124}), boost::test_tools::per_element());
  BOOST_TEST(t.machine.completed_at(0) ==
             111U + 5U + 10U + 1U + 10U + 1U);  // and its acknowledgement through e again
}

// As with an overhead of 10, which is no occupancy here: stored until 113, then 10.
KERNBENCH_SYSTEMC_TEST(a_latency_is_paid_after_the_last_flit) {
  Tested t(Settings{{"overhead_ns", "0"}, {"latency_ns", "0.00001"}});
  t.inject_at(t.machine.control("e", "z", 90), 90);
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{101, 128, 132, 136}),
             boost::test_tools::per_element());
}

// At e at 105, 109, 113; a flit holds the server for 6: starts at 105, 111, 117, leaves 20 later.
// The control message arrives at e at 102 and waits for none.
KERNBENCH_SYSTEMC_TEST(with_cut_through_latency_and_occupancy_are_those_of_a_router) {
  Tested t(Settings{{"overhead_ns", "0"},
                    {"latency_ns", "0.00002"},
                    {"occupancy_ns", "0.000003"},
                    {"flit_occupancy_ns", "0.000006"},
                    {"servers", "direction"},
                    {"cut_through", "true"}});
  t.a.send_at(t.machine.control("a", "z", 100), 100);
  t.a.send_at(t.machine.write("a", "z", 0, 48), 100);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{122, 130, 136, 142}),
             boost::test_tools::per_element());
  BOOST_TEST(t.statistic("passed") == 2U);
}

// First flits hold the server for 10.
KERNBENCH_SYSTEMC_TEST(with_cut_through_its_server_is_busy_as_that_of_a_router) {
  Tested t(Settings{{"cut_through", "true"}});
  t.a.send_at(t.machine.write("a", "z", 0, 8), 100);   // 2 fs on the link: at e at 103, until 113
  t.a.send_at(t.machine.write("a", "z", 0, 16), 102);  // at e at 107, 113 until 123
  t.inject_at(t.machine.write("e", "z", 0, 32, 105), 105);  // holds nothing
  sc_core::sc_start(Component::fs(118));
  BOOST_TEST(t.declared("busy").at(118) == 15U);
  BOOST_TEST(t.declared("busy").server.stalled(118) == 6U);  // 107 to 113
  t.machine.run();
  BOOST_TEST(t.statistic("busy") == 20U);
}

// Three flits of two messages to two outputs, each of 6: a server per output.
KERNBENCH_SYSTEMC_TEST(with_cut_through_servers_of_outputs_are_busy_separately) {
  Tested t(Settings{{"overhead_ns", "0"},
                    {"latency_ns", "0.00002"},
                    {"occupancy_ns", "0.000003"},
                    {"flit_occupancy_ns", "0.000006"},
                    {"servers", "direction"},
                    {"cut_through", "true"}});
  t.a.send_at(t.machine.write("a", "z", 0, 32), 100);  // at e at 105 and 109: 105 to 111, to 117
  t.a.send_at(t.machine.write("a", "s", 0, 16), 108);  // at 113, until 119
  sc_core::sc_start(Component::fs(115));
  BOOST_TEST(t.declared("busy").at(115) == 10U + 2U);
  t.machine.run();
  BOOST_TEST(t.statistic("busy") == 18U);
  BOOST_TEST(t.declared("busy").server.places == 3U);  // outputs to a, s, z
}

BOOST_AUTO_TEST_CASE(an_end_point_that_stores_messages_has_no_server) {
  const auto fault = [](const char* key, const ParameterValue& value, bool cut_through) {
    Attributes values = defaults_of(schema_of<PcieEp::Parameters>());
    values.set(key, value);
    values.set("cut_through", cut_through);
    const auto found = PcieEp::check(PcieEp::Parameters(values));
    return found ? found->parameter + ": " + found->message : "";
  };
  const std::string why = ": an end point that stores whole messages has no server";
  BOOST_TEST(fault("occupancy_ns", Rational(2), false) ==
             "occupancy_ns: found 2 ns, allowed without cut_through is 0" + why);
  BOOST_TEST(fault("flit_occupancy_ns", Rational(3), false) ==
             "flit_occupancy_ns: found 3 ns, allowed without cut_through is 0" + why);
  BOOST_TEST(fault("servers", std::string("port"), false) ==
             "servers: found port, allowed without cut_through is node" + why);
  BOOST_TEST(fault("latency_ns", Rational(2), false) == "");
  for (const char* key : {"latency_ns", "occupancy_ns", "flit_occupancy_ns"})
    BOOST_TEST(fault(key, Rational(2), true) == "");
  BOOST_TEST(fault("servers", std::string("port"), true) == "");
  forked([] { BOOST_CHECK_THROW(Tested().declared("busy"), std::logic_error); });
}

KERNBENCH_SYSTEMC_TEST(nothing_is_paid_where_a_response_ends) {
  Tested t;
  t.inject_at(t.machine.read("e", "s", 0, 32),
              100);  // leaves at 110, at s 111, answered at 121: flits at e at 126, 130
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 130U);
  BOOST_TEST(t.statistic("completed") == 1U);
}

KERNBENCH_SYSTEMC_TEST(a_posted_write_of_the_host_ends_at_the_memory) {
  Tested t;
  t.inject_at(t.machine.posted_write("e", "s", 0, 32),
              100);  // leaves at 110, at s 115 and 119, completes at 129
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 129U);
  BOOST_TEST(t.statistic("completed") == 0U);
}

KERNBENCH_SYSTEMC_TEST(what_leaves_at_one_instant_goes_by_time_upstream_name_and_id) {
  Tested t({}, {"0", 1});
  t.inject_at(t.machine.write("e", "z", 0, 16, 100), 100);  // 0: upstream is e itself
  t.a.send_at(t.machine.write("a", "z", 0, 16), 99);  // 1: arrives at 100 too, from a: goes first
  t.inject_at(t.machine.write("e", "z", 0, 16, 100), 100);  // 2: the later count
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 110U + 4U + 1U);
  BOOST_TEST(t.machine.completed_at(0) == 110U + 8U + 1U);
  BOOST_TEST(t.machine.completed_at(2) == 110U + 12U + 1U);
}

// The same without an overhead: what is issued at an instant leaves at that instant, whichever
// process ran first.
KERNBENCH_SYSTEMC_TEST(the_tie_rule_holds_without_an_overhead) {
  Tested t(Settings{{"overhead_ns", "0"}}, {"0", 1});
  Transaction& second = t.machine.write("e", "z", 0, 16, 100);
  Transaction& third = t.machine.write("e", "z", 0, 16, 100);
  t.inject_at(third, 100);
  t.inject_at(second, 100);
  t.a.send_at(t.machine.write("a", "z", 0, 16), 99);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(2) == 105U);
  BOOST_TEST(t.machine.completed_at(0) == 109U);
  BOOST_TEST(t.machine.completed_at(1) == 113U);
}

// However many deltas of the instant it took to issue it.
KERNBENCH_SYSTEMC_TEST(the_tie_rule_holds_without_an_overhead_over_many_deltas) {
  Tested t(Settings{{"overhead_ns", "0"}}, {"0", 1});
  Transaction& early = t.machine.write("e", "z", 0, 16, 99);
  t.inject_at(t.machine.write("e", "z", 0, 16, 100), 100);
  sc_core::sc_spawn([&t, handle = TransactionHandle(early)] {
    sc_core::wait(Component::fs(100));
    for (int i = 0; i < 5; ++i) sc_core::wait(sc_core::SC_ZERO_TIME);
    t.machine.issue(*handle);
  });
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 105U);
  BOOST_TEST(t.machine.completed_at(1) == 109U);
}

KERNBENCH_SYSTEMC_TEST(shows_what_it_serves) {
  Tested t;
  SignalLog log(*t.e);
  t.inject_at(t.machine.write("e", "z", 0x40, 48), 100);  // leaves at 110, until 122
  t.machine.run();
  BOOST_TEST(log.of("inbox") == "0 at 0, 1 at 100, 0 at 110");
  BOOST_TEST(log.of("serving") == "0 at 0, 1 at 100, 0 at 122");
  BOOST_TEST(log.of("bytes") == "0 at 0, 48 at 100, 0 at 122");
  BOOST_TEST(log.of("source") == "x at 0, e at 100, x at 122");
  BOOST_TEST(log.of("destination") == "x at 0, z at 100, x at 122");
  BOOST_TEST(log.of("to_z_busy") == "0 at 0, 1 at 110, 0 at 122");
}

BOOST_AUTO_TEST_SUITE_END()

// What passes is the same at a UAL end point: stored and forwarded, or as by a router.
BOOST_AUTO_TEST_CASE(a_ual_end_point_passes_on_as_a_pcie_end_point_does) {
  for (const auto& [cut_through, first] :
       {std::pair{"false", Fs{128}}, std::pair{"true", Fs{120}}}) {
    const std::vector<Fs> times = forked_value([cut = cut_through] {
      MiniMachine machine({"a", "u", "z"}, 16);
      machine.add<UalEp>("u", {{"overhead_ns", "0.00001"}, {"cut_through", cut}});
      StubNode& a = machine.stub("a");
      StubNode& z = machine.stub("z");
      machine.connect("a", "u", {"4e6", 1});
      machine.connect("u", "z", {"4e6", 1});
      machine.elaborate();
      a.send_at(machine.write("a", "z", 0, 48), 100);
      machine.run();
      return z.times();
    });
    BOOST_TEST(times == (std::vector<Fs>{first, first + 4, first + 8}),
               boost::test_tools::per_element());
  }
}
