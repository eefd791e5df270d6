// The HBM controller (spec 2.5), in femtoseconds: flits and bursts of 16 B, 4 pseudo-channels
// behind a link of 4e6 GB/s, so a burst takes 16 B * 4 / 4e6 GB/s = 16 fs. The links of the small
// machine are unlimited with 1 fs of propagation unless said otherwise.
#include <boost/test/unit_test.hpp>

#include "models/cube/hbm_controller.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using kernbench::test::MiniLink;
using kernbench::test::MiniMachine;
using kernbench::test::Received;
using kernbench::test::SignalLog;
using kernbench::test::StubNode;

BOOST_AUTO_TEST_SUITE(hbm_ctrl)

namespace {

using Settings = std::map<std::string, std::string>;

// a, b -> h: directly attached, so that arrival = hand-over + 1.
struct Memory {
  explicit Memory(Settings attributes = {}, std::uint32_t flit_bytes = 16,
                  const MiniLink& back = {})
      : machine({"a", "b", "h"}, flit_bytes) {
    attributes.insert({{"num_pcs", "4"}, {"burst_bytes", "16"}, {"link_bw_gbs", "4e6"}});
    h = &machine.add<HbmCtrl>("h", attributes);
    machine.connect("a", "h", {}, back);
    machine.connect("b", "h", {}, back);
    machine.elaborate();
  }
  MiniMachine machine;
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  HbmCtrl* h = nullptr;

  std::uint64_t statistic(const std::string& name) const {
    for (const Statistic& statistic : h->statistics()) {
      if (statistic.name == name) return *statistic.value;
    }
    throw std::logic_error(name);
  }
};

// Every booking as {channel, start, first_finish, finish}.
struct Bookings final : tlm::tlm_analysis_if<HbmBooking> {
  using Row = std::array<Fs, 4>;
  void write(const HbmBooking& booking) override {
    seen[booking.transaction].push_back(
        {booking.channel, booking.start, booking.first_finish, booking.finish});
    burst_bytes = booking.burst_bytes;
  }
  std::map<const Transaction*, std::vector<Row>> seen;
  std::uint32_t burst_bytes = 0;
};

}  // namespace

// A burst of the partition on channel 2 from 101 to 117; then two bursts for channel 2 alone, and
// two for channel 3, which is free.
KERNBENCH_SYSTEMC_TEST(bookings_for_one_channel_queue_after_those_of_the_partition) {
  Memory t;
  Bookings bookings;
  t.machine.observation().hbm_bookings.bind(bookings);
  Transaction& whole = t.machine.read("a", "h", 32, 16);
  Transaction& one = t.machine.read("a", "h", 0, 32);
  Transaction& other = t.machine.read("a", "h", 0, 32);
  one.route().channel = 2;
  other.route().channel = 3;
  for (Transaction* read : {&whole, &one, &other}) t.a.send_at(*read, 100);
  t.machine.run();
  using Rows = std::vector<Bookings::Row>;
  BOOST_TEST((bookings.seen[&whole] == Rows{{2, 101, 117, 117}}));
  BOOST_TEST((bookings.seen[&one] == Rows{{2, 117, 133, 149}}));
  BOOST_TEST((bookings.seen[&other] == Rows{{3, 101, 117, 133}}));
  BOOST_TEST(bookings.burst_bytes == 16U);
}

// Read of bursts 1 to 6: one booking per channel, in the order in which it touches them. The write
// books flit by flit; a change of direction (3 fs) is not part of the booking.
KERNBENCH_SYSTEMC_TEST(a_read_books_each_channel_once_and_a_write_each_burst) {
  Memory t(Settings{{"switch_penalty_ns", "0.000003"}});
  Bookings bookings;
  t.machine.observation().hbm_bookings.bind(bookings);
  Transaction& read = t.machine.read("a", "h", 16, 96);
  Transaction& write = t.machine.write("b", "h", 16, 32);
  t.a.send_at(read, 100);
  t.b.send_at(write, 101);
  t.machine.run();
  using Rows = std::vector<Bookings::Row>;
  BOOST_TEST(
      (bookings.seen[&read] ==
       Rows{{1, 101, 117, 133}, {2, 101, 117, 133}, {3, 101, 117, 117}, {0, 101, 117, 117}}));
  BOOST_TEST((bookings.seen[&write] == Rows{{1, 136, 152, 152}, {2, 136, 152, 152}}));
}

KERNBENCH_SYSTEMC_TEST(burst_time_is_burst_bytes_over_the_channels_share_of_the_link) {
  // 256 B * 8 / (256 GB/s * 0.8) = 10 ns.
  MiniMachine machine({"a", "h"});
  StubNode& a = machine.stub("a");
  machine.add<HbmCtrl>("h", {{"num_pcs", "8"}, {"link_bw_gbs", "256"}, {"efficiency", "0.8"}});
  machine.connect("a", "h");
  machine.elaborate();
  a.send_at(machine.write("a", "h", 0, 256), 0);
  machine.run();
  BOOST_TEST(machine.completed_at(0) == 1U + 10 * fs_per_ns + 1U);
}

KERNBENCH_SYSTEMC_TEST(writes_to_different_channels_run_in_parallel) {
  Memory t;
  t.a.send_at(t.machine.write("a", "h", 0, 64),
              100);  // four flits, four channels, all booked at 101
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 16U + 1U);  // acknowledged at commit
}

KERNBENCH_SYSTEMC_TEST(bursts_of_one_channel_follow_each_other) {
  Memory t;
  t.a.send_at(t.machine.write("a", "h", 0, 16), 100);
  t.b.send_at(t.machine.write("b", "h", 64, 16), 100);  // burst 4: channel 0 again
  t.b.send_at(t.machine.write("b", "h", 16, 16), 100);  // channel 1
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 16U + 1U);
  BOOST_TEST(t.machine.completed_at(1) == 101U + 32U + 1U);
  BOOST_TEST(t.machine.completed_at(2) == 101U + 16U + 1U);
  BOOST_TEST(t.statistic("pc0_busy") == 32U);
  BOOST_TEST(t.statistic("pc1_busy") == 16U);
  BOOST_TEST(t.statistic("pc2_busy") == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_write_commits_at_its_latest_finish) {
  Memory t;
  t.b.send_at(t.machine.write("b", "h", 0, 16), 90);  // channel 0 until 107
  t.a.send_at(t.machine.write("a", "h", 0, 32),
              100);  // flit 0 on channel 0: 107..123, flit 1 on channel 1: 101..117
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 123U + 1U);
}

KERNBENCH_SYSTEMC_TEST(the_first_flit_of_a_write_holds_the_inbox) {
  Memory t(Settings{{"overhead_ns", "0.00001"}});
  t.a.send_at(t.machine.write("a", "h", 0, 32), 100);   // held 101..111, both flits book at 111
  t.b.send_at(t.machine.write("b", "h", 32, 16), 100);  // held 111..121, books at 121
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 111U + 16U + 1U);
  BOOST_TEST(t.machine.completed_at(1) == 121U + 16U + 1U);
}

KERNBENCH_SYSTEMC_TEST(read_commands_neither_wait_nor_hold) {
  Memory t(Settings{{"overhead_ns", "0.00001"}});
  t.a.send_at(t.machine.write("a", "h", 0, 16), 100);  // held 101..111
  t.b.send_at(t.machine.read("b", "h", 16, 16), 102);  // arrives at 103, books at 113, out at 129
  t.b.send_at(t.machine.read("b", "h", 32, 16),
              102);  // the same on its own channel: commands do not hold each other up
  t.a.send_at(t.machine.write("a", "h", 48, 16), 104);  // held 111..121, out at 137
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 129U + 1U);
  BOOST_TEST(t.machine.completed_at(2) == 129U + 1U);
  BOOST_TEST(t.machine.completed_at(3) == 137U + 1U);
}

KERNBENCH_SYSTEMC_TEST(a_posted_write_ends_at_its_commit_without_a_message) {
  Memory t;
  t.a.send_at(t.machine.posted_write("a", "h", 0, 64), 100);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 16U);
  BOOST_TEST(t.a.records().size() == 0U);
  BOOST_TEST(t.machine.link("h", "a").statistics().control_messages == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_write_is_acknowledged_by_a_control_message_on_the_reverse_path) {
  Memory t;
  t.a.send_at(t.machine.write("a", "h", 0, 64), 100);
  t.machine.run();
  BOOST_TEST(t.a.records().size() == 1U);
  BOOST_TEST(t.a.records()[0].bytes == 0U);
  BOOST_TEST((t.a.records()[0].leg == Leg::response));
}

KERNBENCH_SYSTEMC_TEST(response_flits_leave_when_all_bursts_up_to_their_last_have_finished) {
  Memory t;
  t.b.send_at(t.machine.write("b", "h", 16, 16), 90);  // channel 1 busy 91..107
  t.a.send_at(t.machine.read("a", "h", 0, 96),
              100);  // bursts 0..5 on channels 0 1 2 3 0 1, booked at 101
  t.machine.run();
  // Finishes: 117, 107+16 = 123, 117, 117, 133, 139. In order: 117, 123, 123, 123, 133, 139.
  std::vector<Fs> expected{117, 123, 123, 123, 133, 139};
  for (Fs& time : expected) ++time;
  BOOST_TEST(t.a.times() == expected, boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(a_burst_touched_in_part_takes_a_whole_one) {
  Memory t;
  t.a.send_at(t.machine.read("a", "h", 12, 8), 100);  // bursts 0 and 1, one of 4 B each
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{118, 118}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("pc0_busy") == 16U);
  BOOST_TEST(t.statistic("pc1_busy") == 16U);
  BOOST_TEST(t.statistic("bytes_read") == 8U);
}

KERNBENCH_SYSTEMC_TEST(flits_larger_than_bursts_wait_for_all_of_theirs) {
  Memory t({}, 64);
  t.b.send_at(t.machine.write("b", "h", 48, 16), 90);  // channel 3: 91..107
  t.a.send_at(t.machine.read("a", "h", 0, 128), 100);  // two flits of four bursts
  t.machine.run();
  // Flit 0: channels 0..2 at 117, channel 3 at 123. Flit 1: 133 and 139.
  BOOST_TEST(t.a.times() == (std::vector<Fs>{124, 140}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(flits_smaller_than_bursts_leave_with_their_burst) {
  Memory t({}, 8);
  t.a.send_at(t.machine.read("a", "h", 0, 32), 100);  // four flits, two bursts
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{118, 118, 118, 118}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(each_flit_of_a_write_books_the_bursts_it_touches) {
  Memory t({}, 8);
  t.a.send_at(t.machine.write("a", "h", 0, 16), 100);  // two flits, each books burst 0
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 32U + 1U);
}

// Spec 3.3, one_to_one: offsets 8 to 40 of channel 2's own bytes touch three of its bursts, 16 fs
// each from 101 on; 8, 16 and 8 B.
KERNBENCH_SYSTEMC_TEST(a_read_for_one_channel_takes_all_its_bursts_there) {
  Memory t;
  Transaction& read = t.machine.read("a", "h", 8, 32);
  read.route().channel = 2;
  t.a.send_at(read, 100);
  t.b.send_at(t.machine.read("b", "h", 48, 16), 100);  // of the partition: channel 3, at once
  t.machine.run();
  BOOST_TEST(t.a.times() == (std::vector<Fs>{118, 134, 150}), boost::test_tools::per_element());
  BOOST_TEST(t.b.times() == (std::vector<Fs>{118}), boost::test_tools::per_element());
  BOOST_TEST(t.statistic("pc2_busy") == 48U);
  BOOST_TEST(t.statistic("pc3_busy") == 16U);
  BOOST_TEST(t.statistic("pc0_busy") == 0U);
}

// The two bursts of channel 1, then b's burst 1 of the partition, which is on channel 1.
KERNBENCH_SYSTEMC_TEST(a_write_for_one_channel_books_there_with_all_others) {
  Memory t;
  Transaction& write = t.machine.write("a", "h", 0, 32);
  write.route().channel = 1;
  t.a.send_at(write, 100);
  t.b.send_at(t.machine.write("b", "h", 16, 16), 105);
  t.b.send_at(t.machine.write("b", "h", 0, 16), 105);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 101U + 32U + 1U);
  BOOST_TEST(t.machine.completed_at(1) == 101U + 48U + 1U);
  BOOST_TEST(t.machine.completed_at(2) == 106U + 16U + 1U);
}

KERNBENCH_SYSTEMC_TEST(reads_and_writes_share_a_channel_and_changes_of_direction_cost) {
  Memory t(Settings{{"switch_penalty_ns", "0.000003"}});
  t.a.send_at(t.machine.write("a", "h", 0, 16), 100);  // first use: 101..117
  t.b.send_at(t.machine.read("b", "h", 0, 16), 104);   // 117 + 3 + 16 = 136
  t.b.send_at(t.machine.read("b", "h", 0, 16), 105);   // 152
  t.a.send_at(t.machine.write("a", "h", 0, 16), 500);  // idle since 152, yet 501 + 3 + 16 = 520
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 118U);
  BOOST_TEST(t.machine.completed_at(1) == 137U);
  BOOST_TEST(t.machine.completed_at(2) == 153U);
  BOOST_TEST(t.machine.completed_at(3) == 521U);
  BOOST_TEST(t.statistic("pc0_switches") == 2U);
  BOOST_TEST(t.statistic("pc0_busy") == 64U);
  BOOST_TEST(t.statistic("reads") == 2U);
  BOOST_TEST(t.statistic("writes") == 2U);
}

KERNBENCH_SYSTEMC_TEST(the_first_use_pays_no_penalty_in_either_direction) {
  Memory t(Settings{{"switch_penalty_ns", "0.000003"}});
  t.a.send_at(t.machine.read("a", "h", 0, 16), 100);
  t.a.send_at(t.machine.write("a", "h", 16, 16), 100);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 118U);
  BOOST_TEST(t.machine.completed_at(1) == 118U);
}

KERNBENCH_SYSTEMC_TEST(bookings_of_one_instant_go_by_the_tie_rule) {
  Memory t;
  t.b.send_at(t.machine.read("b", "h", 0, 16, 1),
              100);  // all on channel 0 at 101; a comes before b
  t.a.send_at(t.machine.write("a", "h", 0, 16, 2), 100);
  t.a.send_at(t.machine.read("a", "h", 0, 16, 3), 100);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 118U);  // the write: id (2, a)
  BOOST_TEST(t.machine.completed_at(2) == 134U);  // the read of a: id (3, a)
  BOOST_TEST(t.machine.completed_at(0) == 150U);  // b
}

// Bookings at one instant of flits that arrived at different times go in order of arrival.
KERNBENCH_SYSTEMC_TEST(bookings_of_one_instant_go_by_arrival_first) {
  Memory t(Settings{{"overhead_ns", "0.00001"}});
  t.b.send_at(t.machine.write("b", "h", 0, 16), 100);  // held 101..111, books at 111
  t.a.send_at(t.machine.read("a", "h", 0, 16), 100);   // 101 too: books at 111, before b's flit
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(1) == 111U + 16U + 1U);
  BOOST_TEST(t.machine.completed_at(0) == 111U + 32U + 1U);
}

KERNBENCH_SYSTEMC_TEST(responses_share_the_link_in_order_of_readiness) {
  // Back link: 16 B in 4 fs. Read 0 (bursts 0 and 4, channel 0: ready 117, 133), read 1 (channel 1:
  // ready 117).
  Memory t({}, 16, {"4e6", 1});
  t.a.send_at(t.machine.read("a", "h", 0, 16), 100);
  t.a.send_at(t.machine.read("a", "h", 64, 16), 100);
  t.a.send_at(t.machine.read("a", "h", 16, 16), 100);
  t.machine.run();
  // Hand-overs: 117 read 0, 117 read 2 (a later id, but ready earlier than read 1), 133 read 1.
  BOOST_TEST(t.machine.completed_at(0) == 117U + 4U + 1U);
  BOOST_TEST(t.machine.completed_at(2) == 117U + 8U + 1U);
  BOOST_TEST(t.machine.completed_at(1) == 133U + 4U + 1U);
}

BOOST_AUTO_TEST_CASE(what_leaves_at_one_instant_goes_in_order_of_its_cause) {
  // An acknowledgement and a response flit leave at 117 over a link of 4 fs per flit. The write's
  // last flit and the command arrive at 101; the smaller id goes first. The acknowledgement takes
  // no room, but waits when the flit is before it.
  const auto times = [](Fs write_issued, Fs read_issued) {
    return kernbench::test::forked_value([=] {
      Memory t({}, 16, {"4e6", 1});
      t.a.send_at(t.machine.write("a", "h", 0, 16, write_issued), 100);
      t.a.send_at(t.machine.read("a", "h", 16, 16, read_issued), 100);
      t.machine.run();
      return std::vector<Fs>{t.machine.completed_at(0), t.machine.completed_at(1)};
    });
  };
  BOOST_TEST(times(1, 2) == (std::vector<Fs>{118, 122}), boost::test_tools::per_element());
  BOOST_TEST(times(2, 1) == (std::vector<Fs>{122, 122}), boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(without_a_link_bandwidth_bursts_take_no_time) {
  Memory t(Settings{{"link_bw_gbs", "0"}});
  t.a.send_at(t.machine.read("a", "h", 0, 64), 100);
  t.a.send_at(t.machine.write("a", "h", 0, 64), 100);
  t.machine.run();
  BOOST_TEST(t.machine.completed_at(0) == 102U);
  BOOST_TEST(t.machine.completed_at(1) == 102U);
}

KERNBENCH_SYSTEMC_TEST(shows_what_its_channels_do_without_changing_it) {
  Memory t;
  SignalLog log(*t.h);
  t.a.send_at(t.machine.write("a", "h", 0, 16), 100);  // 101..117
  t.a.send_at(t.machine.read("a", "h", 0, 16), 110);   // booked at 111 for 117..133
  t.a.send_at(t.machine.read("a", "h", 0, 16), 199);   // 200..216
  t.machine.run();
  BOOST_TEST(log.of("pc0") ==
             "idle at 0, write at 101, read at 117, idle at 133, read at 200, idle at 216");
  BOOST_TEST(log.of("pc0_queue") == "0 at 0, 1 at 111, 0 at 117");
  BOOST_TEST(log.of("pc0_transaction") ==
             "x at 0, 0 at 101, 1 at 117, x at 133, 2 at 200, x at 216");
  BOOST_TEST(log.of("pc1") == "idle at 0");
  BOOST_TEST(t.machine.completed_at(2) == 217U);
}

// 16 B bursts on 4 channels: bytes 24..64 begin on channel 1 and go on with 2 and 3.
KERNBENCH_SYSTEMC_TEST(a_channel_shows_where_an_access_begins_on_it) {
  Memory t;
  SignalLog log(*t.h);
  Transaction& read = t.machine.read("a", "h", 24, 40);
  read.set_address(0x2018);
  t.a.send_at(read, 100);
  t.machine.run();
  BOOST_TEST(log.of("pc0_address") == "x at 0");
  BOOST_TEST(log.of("pc1_address") == "x at 0, 8216 at 101, x at 117");  // 0x2018
  BOOST_TEST(log.of("pc2_address") == "x at 0, 8224 at 101, x at 117");  // 0x2020
  BOOST_TEST(log.of("pc3_address") == "x at 0, 8240 at 101, x at 117");  // 0x2030
}

KERNBENCH_SYSTEMC_TEST(a_control_message_that_is_no_read_is_a_broken_rule) {
  Memory t;
  t.a.send_at(t.machine.control("a", "h"), 100);
  BOOST_CHECK_EXCEPTION(t.machine.run(), ModelError, [](const ModelError& error) {
    return std::string(error.what()).find("h: a control message without a read") !=
           std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(channels_and_bursts_are_powers_of_two) {
  for (const Parameter& parameter : schema_of<HbmCtrl::Parameters>()) {
    if (parameter.name() != "num_pcs" && parameter.name() != "burst_bytes") continue;
    BOOST_CHECK_THROW(parameter.parse("6"), std::invalid_argument);
    BOOST_CHECK_THROW(parameter.parse("0"), std::invalid_argument);
    BOOST_CHECK_NO_THROW(parameter.parse("16"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
