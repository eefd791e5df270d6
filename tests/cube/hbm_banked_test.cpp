// The HBM controller with banks (spec 2.5) as a node: queues, flits, commits. Times in ns of the
// preset HBM2 (tRCD 14 and 12, tCL 14, tCWL 5, tCCD_S 2, tCCD_L 4, a burst 2) on unlimited links of
// 1 fs; bursts and flits of 32 B. Commands of one pseudo-channel alone: hbm_bank_scheduler_test.
#include "models/cube/hbm_banked.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "models/cube/hbm_controller.h"
#include "models/protocol/atomic_part.h"
#include "tests/support/forked.h"
#include "tests/support/mini_machine.h"
#include "tests/support/signal_log.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(hbm_banked)

namespace {

using Settings = std::map<std::string, std::string>;
constexpr Fs ns = fs_per_ns;

struct Memory {
  explicit Memory(Settings attributes = {}, std::uint32_t flit_bytes = 32)
      : machine({"a", "b", "h"}, flit_bytes) {
    attributes.insert({{"num_pcs", "2"}, {"refresh", "none"}, {"pcs_per_bus", "0"}});
    h = &machine.add<HbmBanked>("h", attributes);
    machine.connect("a", "h");
    machine.connect("b", "h");
    machine.elaborate();
  }
  std::uint64_t statistic(const std::string& name) const { return statistic_of(*h, name); }
  Ratio::Parts ratio(const std::string& name) const {
    for (const Ratio& each : h->ratios()) {
      if (each.name == name) return each.at(Component::now());
    }
    throw std::invalid_argument(name);
  }
  // Hand-overs at the memory of what has arrived at a: one link of 1 fs before.
  std::vector<Fs> left() const {
    std::vector<Fs> times = a.times();
    for (Fs& time : times) --time;
    return times;
  }
  MiniMachine machine;
  StubNode& a{machine.stub("a")};
  StubNode& b{machine.stub("b")};
  HbmBanked* h = nullptr;
};

// Sent at 100 ns, at the memory 1 fs later.
constexpr Fs sent = 100 * ns, at = sent + 1;

struct Bookings final : tlm::tlm_analysis_if<HbmBooking> {
  void write(const HbmBooking& booking) override {
    seen.push_back({booking.channel, booking.start, booking.finish});
  }
  std::vector<std::array<Fs, 3>> seen;
};

struct Effect final : AtomicEffect {
  void serve(const AtomicSpans&, Fs now) override { times.push_back(now); }
  std::vector<Fs> times;
};

Transaction& atomic(Memory& m, std::uint64_t offset, unsigned bytes,
                    const std::shared_ptr<Effect>& effect) {
  Transaction& transaction = m.machine.write("a", "h", offset, bytes);
  auto access = std::make_shared<AtomicAccess>();
  access->effect = effect;
  auto part = std::make_shared<AtomicPart>();
  part->access = access;
  part->spans = {{0, bytes}};
  transaction.route().atomic = part;
  return transaction;
}

}  // namespace

// Bursts 0 and 1 are of channels 0 and 1, group 0; bursts 2 and 3 of group 1, activated tRRD_S = 4
// later; bursts 4 to 7 of groups 2 and 3. Each is read tRCD after its activate.
KERNBENCH_SYSTEMC_TEST(flits_of_a_read_leave_in_order_when_their_bursts_have_arrived) {
  Memory m;
  m.a.send_at(m.machine.read("a", "h", 0, 256), sent);
  m.machine.run();
  const Fs first = at + (14 + 14 + 2) * ns;
  BOOST_TEST(
      m.left() == (std::vector<Fs>{first, first, first + 4 * ns, first + 4 * ns, first + 8 * ns,
                                   first + 8 * ns, first + 12 * ns, first + 12 * ns}),
      boost::test_tools::per_element());
  BOOST_TEST(m.statistic("row_misses") == 8U);
  BOOST_TEST(m.statistic("activates") == 8U);
  BOOST_TEST(m.statistic("pc0_busy") == 8U * ns);
  BOOST_TEST(m.statistic("bytes_read") == 256U);
}

// The same with command buses: an activate holds the row bus for 2, so that channel 1 is 2 behind
// channel 0, whose next activate is at tRRD_S = 4.
KERNBENCH_SYSTEMC_TEST(two_channels_share_a_row_bus) {
  Memory m(Settings{{"pcs_per_bus", "2"}});
  m.a.send_at(m.machine.read("a", "h", 0, 256), sent);
  m.machine.run();
  std::vector<Fs> expected;
  for (unsigned flit = 0; flit < 8; ++flit) expected.push_back(at + (14 + 14 + 2 + 2 * flit) * ns);
  BOOST_TEST(m.left() == expected, boost::test_tools::per_element());
}

// 128 reads of each of two channels, each of another row: 16 banks have 8 rows each. An access
// takes 2 of an activate and 1 of a precharge on the shared bus: 6 for both channels, which is more
// than tRRD = 4 and tRC / 16 = 3.
KERNBENCH_SYSTEMC_TEST(channels_that_wait_for_the_row_bus_take_turns) {
  Memory m(Settings{{"pcs_per_bus", "2"}, {"read_queue", "64"}});
  // 32 columns * 4 groups * 2 channels of 32 B: the next bank of each group, after four the next
  // row.
  constexpr std::uint64_t bank = 32 * 4 * 2 * 32;
  for (unsigned i = 0; i < 128; ++i) {
    for (unsigned channel = 0; channel < 2; ++channel)
      m.a.send_at(m.machine.read("a", "h", i * bank + i / 4 % 4 * 64 + channel * 32, 32), sent);
  }
  m.machine.run();
  const std::vector<Fs> left = m.left();
  BOOST_TEST(m.statistic("activates") == 256U);
  BOOST_TEST(m.statistic("precharges") == 256U - 2 * 16);
  // 256 activates and 224 precharges hold the bus for 736; the first data come 30 after the first.
  const Fs took = *std::max_element(left.begin(), left.end()) - at;
  BOOST_TEST(took >= (256 * 2 + 224) * ns);
  BOOST_TEST(took <= (256 * 2 + 224 + 60) * ns);
}

// Flits of 256 B have 8 bursts each: 4 groups on 2 channels. The second flit finds open rows and
// follows at tCCD_S, as soon as the last activate of its group allows.
KERNBENCH_SYSTEMC_TEST(a_flit_leaves_when_the_last_of_its_bursts_has_arrived) {
  Memory m({}, 256);
  m.a.send_at(m.machine.read("a", "h", 0, 512), sent);
  m.machine.run();
  // Per channel: reads at 14 (g0), 18 (g1, or g0 again: the older), 22 (g2), 26 (g3), with hits of
  // g0, g1, g2 at 20, 24, 28; g3 at tCCD_L after 26. The first flit ends with g3 at 26, the second
  // with g3 at 30.
  BOOST_TEST(m.left() == (std::vector<Fs>{at + (26 + 16) * ns, at + (30 + 16) * ns}),
             boost::test_tools::per_element());
}

KERNBENCH_SYSTEMC_TEST(bytes_of_a_burst_that_two_flits_share_are_read_once) {
  Memory m({}, 16);
  m.a.send_at(m.machine.read("a", "h", 8, 40), sent);  // 8, 16 and 16 B: bursts 0 and 1
  m.machine.run();
  const Fs end = at + 30 * ns;
  BOOST_TEST(m.left() == (std::vector<Fs>{end, end, end}), boost::test_tools::per_element());
  BOOST_TEST(m.statistic("activates") == 2U);
}

// A write commits when its last burst is in a queue; the bursts follow.
KERNBENCH_SYSTEMC_TEST(a_write_is_acknowledged_when_its_bursts_are_queued) {
  Memory m(Settings{{"overhead_ns", "3"}});
  m.a.send_at(m.machine.write("a", "h", 0, 64), sent);
  m.b.send_at(m.machine.posted_write("b", "h", 1024, 32), sent + 100 * ns);
  m.machine.run();
  BOOST_TEST(m.machine.completed_at(0) == at + 3 * ns + 1);
  BOOST_TEST(m.machine.completed_at(1) == at + 103 * ns);
  BOOST_TEST(m.statistic("writes") == 2U);
  BOOST_TEST(m.statistic("bytes_written") == 96U);
  BOOST_TEST(m.statistic("pc0_busy") == 4U * ns);  // bursts 0 and 32
  BOOST_TEST(m.statistic("pc1_busy") == 2U * ns);
}

// One channel with two places: of four flits two are queued at once. The row of burst 0 is open
// after tRCDWR = 12; then bursts follow tRRD_S apart, as their groups are activated.
KERNBENCH_SYSTEMC_TEST(a_flit_waits_while_its_queue_is_full_and_so_do_those_behind_it) {
  Memory m(
      Settings{{"num_pcs", "1"}, {"write_queue", "2"}, {"write_high", "2"}, {"write_low", "1"}});
  m.a.send_at(m.machine.write("a", "h", 0, 128), sent);
  m.b.send_at(m.machine.write("b", "h", 128, 32), sent);
  m.machine.run();
  // Written: burst 0 at 12, burst 1 at 16; with burst 0 goes room for burst 2, activated then, at
  // 12, and written at 24; burst 3 enters at 16 and is activated and written 4 later, at 28; b's
  // burst 4 is in the open row of group 0, enters at 24 and is written at once.
  BOOST_TEST(m.machine.completed_at(0) == at + 16 * ns + 1);
  BOOST_TEST(m.machine.completed_at(1) == at + 24 * ns + 1);
  BOOST_TEST(m.statistic("write_queue") == 2U);
  BOOST_TEST(m.statistic("row_hits") == 1U);
}

// The write is in the queue when the read arrives at the same instant: tCL and a burst.
KERNBENCH_SYSTEMC_TEST(a_read_of_bytes_that_are_queued_is_served_from_the_queue) {
  Memory m;
  m.a.send_at(m.machine.write("a", "h", 0, 32), sent);
  m.a.send_at(m.machine.read("a", "h", 0, 32), sent);
  m.machine.run();
  BOOST_TEST(m.machine.completed_at(1) == at + 16 * ns + 1);
  BOOST_TEST(m.statistic("forwarded") == 1U);
  // A burst that is written in part is read.
  m.a.send_at(m.machine.write("a", "h", 64, 16), 2 * sent);
  m.a.send_at(m.machine.read("a", "h", 64, 32), 2 * sent);
  m.machine.run();
  BOOST_TEST(m.statistic("forwarded") == 1U);
  BOOST_TEST(m.machine.completed_at(3) == 2 * sent + 1 + 30 * ns + 1);
}

// 8 bursts of a channel: each group opens one row in the first four, the second four are hits.
BOOST_AUTO_TEST_CASE(shares_of_row_hits_and_of_refreshes_are_derived) {
  for (const bool all : {true, false}) {
    forked([all] {
      Memory m(Settings{{"refresh", all ? "all_bank" : "per_bank"}, {"num_pcs", "1"}});
      BOOST_TEST(m.ratio("row_hit_rate").whole == 0.0);
      m.a.send_at(m.machine.read("a", "h", 0, 256), sent);
      m.machine.run();
      BOOST_TEST(m.ratio("row_hit_rate").part == 4.0);
      BOOST_TEST(m.ratio("row_hit_rate").whole == 8.0);
      BOOST_TEST(m.ratio("refresh_share").part == 0.0);
      // Idle until 39,100 ns: ten refreshes of 160 ns, one each 3900; bank by bank 160 of one of 16
      // banks, one each 243.75.
      sc_core::sc_start(Component::until(39'100 * ns));
      BOOST_TEST(m.ratio("refresh_share").part == (all ? 10.0 : 160.0) * 160 * ns);
      BOOST_TEST(m.ratio("refresh_share").whole == (all ? 1.0 : 16.0) * 39'100 * ns);
      BOOST_TEST(m.statistic("bank_refreshes") == 160U);  // either way
    });
  }
}

// 4 bursts of 32 B, one group after the other: activated at tRRD_S = 4, written tRCDWR = 12 after
// it and on the bus tCWL = 5 later, when the write has long been acknowledged.
KERNBENCH_SYSTEMC_TEST(writes_are_booked_like_reads) {
  Memory m(Settings{{"num_pcs", "1"}});
  Bookings bookings;
  m.machine.observation().hbm_bookings.bind(bookings);
  m.a.send_at(m.machine.write("a", "h", 0, 128), sent);
  m.machine.run();
  std::vector<std::array<Fs, 3>> expected;
  for (unsigned i = 0; i < 4; ++i) {
    const Fs data = at + (12 + 5 + 4 * i) * ns;
    expected.push_back({0, data, data + 2 * ns});
  }
  BOOST_TEST((bookings.seen == expected));
  BOOST_TEST(m.machine.completed_at(0) < expected[0][1]);
}

KERNBENCH_SYSTEMC_TEST(an_access_to_one_channel_counts_the_bytes_of_that_channel) {
  Memory m;
  Bookings bookings;
  m.machine.observation().hbm_bookings.bind(bookings);
  Transaction& read = m.machine.read("a", "h", 32, 64);
  read.route().channel = 1;
  m.a.send_at(read, sent);
  m.machine.run();
  // Bursts 1 and 2 of the channel: groups 1 and 2.
  const Fs data = at + 28 * ns;
  using Rows = std::vector<std::array<Fs, 3>>;
  BOOST_TEST((bookings.seen == Rows{{1, data, data + 2 * ns}, {1, data + 4 * ns, data + 6 * ns}}));
}

// Runs of 8 B, 64 B apart: bursts 0, 2 and 4 of channel 0.
KERNBENCH_SYSTEMC_TEST(an_access_of_several_runs_reads_the_bursts_that_they_touch) {
  Memory m;
  auto list = std::make_shared<FlitList>(32);
  for (std::uint64_t run = 0; run < 3; ++run) list->add(run * 64, 8, run * 8);
  Transaction& read = m.machine.read("a", "h", 0, 24);
  read.route().list = list;
  m.a.send_at(read, sent);
  m.machine.run();
  const Fs first = at + 30 * ns;
  BOOST_TEST(m.left() == (std::vector<Fs>{first, first + 4 * ns, first + 8 * ns}),
             boost::test_tools::per_element());
  BOOST_TEST(m.statistic("pc1_busy") == 0U);
}

// The effect is at the last operand; both bursts are read, then the answer leaves and the writes
// follow: the second access finds its burst in the write queue.
KERNBENCH_SYSTEMC_TEST(an_atomic_access_answers_when_its_bursts_have_arrived) {
  Memory m;
  const auto effect = std::make_shared<Effect>();
  m.a.send_at(atomic(m, 16, 32, effect), sent);
  m.machine.run();
  BOOST_TEST(effect->times == (std::vector<Fs>{at}), boost::test_tools::per_element());
  BOOST_TEST(m.left() == (std::vector<Fs>{at + 30 * ns, at + 30 * ns}),
             boost::test_tools::per_element());
  BOOST_TEST(m.statistic("atomics") == 1U);
  BOOST_TEST(m.statistic("pc0_switches") == 1U);
  BOOST_TEST(m.statistic("pc0_busy") == 4U * ns);
  BOOST_TEST(m.statistic("pc1_busy") == 4U * ns);
}

KERNBENCH_SYSTEMC_TEST(its_signals_show_queues_banks_and_the_data_bus) {
  Memory m(Settings{{"num_pcs", "1"}});
  SignalLog log(*m.h);
  m.a.send_at(m.machine.read("a", "h", 0, 32), 100);
  m.machine.run();
  const std::string at_read = std::to_string(101 + 14 * ns),
                    at_data = std::to_string(101 + 28 * ns), at_end = std::to_string(101 + 30 * ns);
  BOOST_TEST(log.of("pc0") == "idle at 0, read at " + at_data + ", idle at " + at_end);
  BOOST_TEST(log.of("pc0_reads") == "0 at 0, 1 at 101, 0 at " + at_read);
  BOOST_TEST(log.of("pc0_writes") == "0 at 0");
  BOOST_TEST(log.of("pc0_open_banks") == "0 at 0, 1 at 101");
}

// Bursts of flits 0 and 1; a flit is ready when those before it are.
BOOST_AUTO_TEST_CASE(a_burst_that_is_not_outstanding_is_found_and_flits_wait_for_earlier_ones) {
  HbmBurstsOfFlits bursts;
  bursts.begin(3, 100);
  bursts.add(0);
  bursts.add(0);
  bursts.add(1);
  BOOST_TEST(bursts.finish(1, 150));
  BOOST_TEST(!bursts.has(1));
  BOOST_TEST(!bursts.finish(1, 160));  // served twice
  BOOST_TEST(bursts.finish(0, 170));
  BOOST_TEST(!bursts.has(0));
  BOOST_TEST(bursts.finish(0, 165));
  BOOST_TEST(bursts.has(2));  // without bursts of its own
  BOOST_TEST(bursts.ready(0) == 170U);
  BOOST_TEST(bursts.ready(1) == 170U);
  BOOST_TEST(bursts.ready(2) == 170U);
  BOOST_TEST(bursts.outstanding() == 0U);
}

KERNBENCH_SYSTEMC_TEST(a_control_message_that_is_no_read_is_refused) {
  Memory m;
  m.a.send_at(m.machine.control("a", "h"), 100);
  BOOST_CHECK_EXCEPTION(m.machine.run(), ModelError, [](const ModelError& error) {
    return std::string(error.what()).find("h: a control message without a read") !=
           std::string::npos;
  });
}

// Every access ends once, whatever they are; a second run is equal.
BOOST_AUTO_TEST_CASE(random_accesses_end_once_and_at_the_same_times_again) {
  const auto ends = [](const std::string& page, unsigned seed) {
    return forked_value([=] {
      Memory m(Settings{{"page", page},
                        {"refresh", seed % 2 == 0 ? "all_bank" : "per_bank"},
                        {"write_queue", "8"},
                        {"write_high", "6"},
                        {"write_low", "2"},
                        {"mapping", seed % 3 == 0 ? "R B C2 P G C3" : "RBCGP"}});
      std::minstd_rand random(seed);
      const auto effect = std::make_shared<Effect>();
      Fs time = sent;
      std::uint64_t bytes_read = 0, bytes_written = 0;
      for (int i = 0; i < 200; ++i) {
        time += random() % 3 == 0 ? random() % 100 * ns : 0;
        const std::uint64_t offset = random() % 4 * (1 << 20) + random() % 4096;
        const unsigned bytes = 1 + static_cast<unsigned>(random() % 600);
        const unsigned kind = static_cast<unsigned>(random() % 4);
        (kind == 1 || kind == 2 ? bytes_written : bytes_read) += bytes;
        if (kind == 3) bytes_written += bytes;
        m.a.send_at(kind == 0   ? m.machine.read("a", "h", offset, bytes)
                    : kind == 1 ? m.machine.write("a", "h", offset, bytes)
                    : kind == 2 ? m.machine.posted_write("a", "h", offset, bytes)
                                : atomic(m, offset, bytes, effect),
                    time);
      }
      m.machine.run();
      std::vector<Fs> list;
      for (std::uint64_t i = 0; i < 200; ++i) list.push_back(m.machine.completed_at(i));
      if (std::count(list.begin(), list.end(), never_fs) > 0) list.clear();
      if (m.statistic("bytes_read") != bytes_read || m.statistic("bytes_written") != bytes_written)
        list.clear();
      return list;
    });
  };
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const std::vector<Fs> first = ends("open", seed);
    BOOST_TEST(first.size() == 200U);
    BOOST_TEST(ends("open", seed) == first, boost::test_tools::per_element());
    BOOST_TEST(ends("closed", seed).size() == 200U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
