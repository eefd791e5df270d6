// Flits and links.
#include "models/noc/link.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/protocol/transaction.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"

using namespace kernbench;
using namespace kernbench::test;

// A payload is cut into flits at multiples of flit_bytes in the target address (spec 2.2).
BOOST_AUTO_TEST_SUITE(flits)

BOOST_AUTO_TEST_CASE(first_and_last_may_be_short) {
  RouteExtension route;
  route.offset = 100;
  route.cut_flits(600, 256);  // 100..255, 256..511, 512..699
  BOOST_TEST(route.flits == 3U);
  BOOST_TEST(route.bytes_of(0) == 156U);
  BOOST_TEST(route.bytes_of(1) == 256U);
  BOOST_TEST(route.bytes_of(2) == 188U);
}

BOOST_AUTO_TEST_CASE(a_payload_inside_one_flit_is_one_flit) {
  RouteExtension route;
  route.offset = 511;
  route.cut_flits(1, 256);
  BOOST_TEST(route.flits == 1U);
  BOOST_TEST(route.bytes_of(0) == 1U);
}

BOOST_AUTO_TEST_CASE(no_bytes_are_a_control_message) {
  RouteExtension route;
  route.flits = 0;
  BOOST_TEST(route.is_control());
}

RC_BOOST_PROP(flits_cover_the_payload_and_never_cross_a_multiple_of_flit_bytes, ()) {
  const auto flit_bytes = *rc::gen::inRange<std::uint32_t>(1, 600);
  RouteExtension route;
  route.offset = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 20000);
  route.cut_flits(bytes, flit_bytes);
  std::uint64_t at = route.offset;
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
    const std::uint32_t size = route.bytes_of(flit);
    RC_ASSERT(size > 0U);
    RC_ASSERT(route.offset_of(flit) == at);
    RC_ASSERT(at / flit_bytes == (at + size - 1) / flit_bytes);
    if (flit > 0) RC_ASSERT(at % flit_bytes == 0U);
    at += size;
  }
  RC_ASSERT(at == route.offset + bytes);
}

BOOST_AUTO_TEST_SUITE_END()

// Links in a simulation (spec 2.3). Unless said otherwise 256 GB/s and flits of 256 B: 1 ns per
// full flit.
BOOST_AUTO_TEST_SUITE(links)

namespace {

constexpr Fs ns = fs_per_ns;

struct OneLink {
  OneLink(const std::string& bw_gbs, Fs propagation) {
    machine.connect("a", "z", {bw_gbs, propagation});
    machine.elaborate();
  }
  MiniMachine machine{{"a", "z"}};
  StubNode& a{machine.stub("a")};
  StubNode& z{machine.stub("z")};
};

}  // namespace

KERNBENCH_SYSTEMC_TEST(serialises_flits_at_its_bandwidth) {
  OneLink t("256", ns / 4);
  t.a.send_at(t.machine.write("a", "z", 0, 1024), 10 * ns);
  t.machine.run();
  // Flit i leaves at 10 + (i + 1) ns and arrives 0.25 ns later.
  BOOST_TEST(t.z.times() == (std::vector<Fs>{11'250'000, 12'250'000, 13'250'000, 14'250'000}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(short_flits_take_their_own_time) {
  OneLink t("256", 1);
  t.a.send_at(t.machine.write("a", "z", 192, 320), 0);  // 64 B, 256 B
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{250'001, 1'250'001}),
             boost::test_tools::per_element());
  BOOST_TEST(t.z.records()[0].bytes == 64U);
}

KERNBENCH_SYSTEMC_TEST(without_bandwidth_flits_take_no_time_and_keep_their_order) {
  OneLink t("0", 7);
  t.a.send_at(t.machine.write("a", "z", 0, 1024), 10);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{17, 17, 17, 17}), boost::test_tools::per_element());
  for (std::uint32_t flit = 0; flit < 4; ++flit) BOOST_TEST(t.z.records()[flit].flit == flit);
}

KERNBENCH_SYSTEMC_TEST(first_come_first_served) {
  OneLink t("256", 1);
  t.a.send_at(t.machine.write("a", "z", 0, 512), 0);
  t.a.send_at(t.machine.write("a", "z", 4096, 256), ns / 2);  // waits until 2 ns
  t.a.send_at(t.machine.write("a", "z", 0, 256), 5 * ns);     // the link has been idle since 3 ns
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{1 * ns + 1, 2 * ns + 1, 3 * ns + 1, 6 * ns + 1}),
             boost::test_tools::per_element());
}

// Two messages of one flit come at 0.5 ns to a link that is occupied until 2 ns: at 1 ns each has
// been queued for 0.5 ns, in the end for 1.5 and 2.5 ns.
KERNBENCH_SYSTEMC_TEST(stall_time_is_cut_at_now) {
  OneLink t("256", 1);
  t.a.send_at(t.machine.write("a", "z", 0, 512), 0);
  t.a.send_at(t.machine.write("a", "z", 4096, 256), ns / 2);
  t.a.send_at(t.machine.write("a", "z", 8192, 256), ns / 2);
  std::vector<Fs> stalled;
  for (const Fs at : {ns / 4, ns, 2 * ns, 10 * ns}) {
    sc_core::sc_start(sc_core::sc_time::from_value(at) - sc_core::sc_time_stamp());
    stalled.push_back(t.machine.link("a", "z").statistics().stalled_fs);
  }
  t.machine.run();
  BOOST_TEST(stalled == (std::vector<Fs>{0, ns, 3 * ns, 4 * ns}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(control_messages_wait_for_data_and_take_no_room) {
  OneLink t("256", 3);
  t.a.send_at(t.machine.write("a", "z", 0, 512), 0);     // occupies [0, 2 ns)
  t.a.send_at(t.machine.read("a", "z", 0, 64), ns / 2);  // a command: starts at 2 ns
  t.a.send_at(t.machine.control("a", "z"), ns);          // starts at 2 ns as well
  t.a.send_at(t.machine.write("a", "z", 0, 256), ns);    // starts at 2 ns all the same
  t.machine.run();
  BOOST_TEST(
      t.z.times() == (std::vector<Fs>{1 * ns + 3, 2 * ns + 3, 2 * ns + 3, 2 * ns + 3, 3 * ns + 3}),
      boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(host_control_messages_have_a_channel_of_their_own) {
  OneLink t("256", 3);
  t.a.send_at(t.machine.write("a", "z", 0, 512), 0);
  t.a.send_at(t.machine.control("a", "z", 0, true), ns / 2);  // does not wait until 2 ns
  t.a.send_at(t.machine.write("a", "z", 0, 256), ns / 2);
  t.machine.run();
  BOOST_TEST(t.z.times() == (std::vector<Fs>{ns / 2 + 3, 1 * ns + 3, 2 * ns + 3, 3 * ns + 3}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(counts_what_it_carries) {
  OneLink t("256", 3);
  t.a.send_at(t.machine.write("a", "z", 192, 320), 0);
  t.a.send_at(t.machine.control("a", "z"), ns);
  t.a.send_at(t.machine.control("a", "z", 0, true), ns);
  t.machine.run();
  const Link::Statistics& statistics = t.machine.link("a", "z").statistics();
  BOOST_TEST(statistics.bytes == 320U);
  BOOST_TEST(statistics.flits == 2U);
  BOOST_TEST(statistics.control_messages == 2U);
  BOOST_TEST(statistics.busy_fs == 1'250'000U);
  BOOST_TEST(t.machine.link("z", "a").statistics().flits ==
             0U);  // each direction is a link of its own
}

KERNBENCH_SYSTEMC_TEST(shows_its_occupancy_to_an_observer) {
  struct Intervals final : tlm::tlm_analysis_if<LinkTraversal> {
    void write(const LinkTraversal& traversal) override {
      seen.push_back(traversal.run.count);
      seen.push_back(traversal.start);
      seen.push_back(traversal.end);
    }
    std::vector<Fs> seen;
  } intervals;
  OneLink t("256", 3);
  t.machine.observation().link_traversals.bind(intervals);
  t.a.send_at(t.machine.write("a", "z", 0, 512), ns);
  t.a.send_at(t.machine.control("a", "z"), ns);
  t.machine.run();
  BOOST_TEST(
      intervals.seen == (std::vector<Fs>{1, ns, 2 * ns, 1, 2 * ns, 3 * ns, 0, 3 * ns, 3 * ns}),
      boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(refuses_the_base_protocol_inside_the_fabric) {
  struct Initiator final : sc_core::sc_module, FabricBackward {
    explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
      out.bind(static_cast<FabricBackward&>(*this));
    }
    void credit(std::uint32_t, std::uint32_t flits, Fs) override { credits += flits; }
    FabricInitiatorSocket out;
    unsigned credits = 0;
  };
  Initiator initiator("initiator");
  MiniMachine machine({"z"});
  StubNode& z = machine.stub("z");
  Link link("link", Rational(256), 1, 256, machine.observation().link_traversals);
  link.connect(initiator.out, z.add_input(0, "link"));
  machine.elaborate();
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
  tlm::tlm_phase phase;
  BOOST_CHECK_THROW(initiator.out->b_transport(payload, delay), ModelError);
  BOOST_CHECK_THROW(initiator.out->nb_transport_fw(payload, phase, delay), ModelError);
  BOOST_TEST(initiator.out->transport_dbg(payload) == 0U);
  tlm::tlm_dmi dmi;
  BOOST_TEST(!initiator.out->get_direct_mem_ptr(payload, dmi));
}

BOOST_AUTO_TEST_SUITE_END()
