// Hand sums of one pseudo-channel with banks (spec 2.5), with the times of round_times(): banks 0
// to 3 are group 0, 4 to 7 group 1, and so on. An end is that of the data: of a read 15 + 2 after
// its command, of a write 5 + 2.
#include "models/timing/hbm_bank_scheduler.h"

#include <boost/test/unit_test.hpp>

#include "tests/timing/hbm_channel.h"

using namespace kernbench;
using namespace kernbench::test;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(hbm_bank_scheduler_test)

namespace {

using Times = std::vector<Fs>;
using Order = std::vector<std::uint32_t>;
using Requests = std::vector<HbmRequest>;

HbmRequest read(Fs at, unsigned bank, std::uint32_t row, std::uint16_t column = 0) {
  return {at, false, bank, row, column};
}
HbmRequest write(Fs at, unsigned bank, std::uint32_t row, std::uint16_t column = 0) {
  return {at, true, bank, row, column};
}
HbmBankTiming with(void (*change)(HbmBankTiming&)) {
  HbmBankTiming t = round_times();
  change(t);
  return t;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_read_of_a_closed_bank_is_an_activate_tRCD_and_tCL) {
  HbmChannel c;
  c.run({read(100, 0, 5)});
  BOOST_TEST(c.times_of(HbmCommand::activate) == Times{100}, per_element());
  BOOST_TEST(c.ends() == Times{100 + 14 + 15 + 2}, per_element());
  BOOST_TEST(c.counts.misses == 1U);
}

BOOST_AUTO_TEST_CASE(row_hits_within_a_bank_group_follow_at_tCCD_L) {
  HbmChannel c;
  c.run({read(0, 0, 5, 0), read(0, 0, 5, 1), read(0, 1, 7, 0), read(0, 0, 5, 2)});
  // Bank 1 is of the same group: activated tRRD_L later, at 9, read from 9 + 14 = 23 on. Bank 0 is
  // read at 14, 18, 22; then bank 1 at 26.
  BOOST_TEST(c.times_of(HbmCommand::read) == (Times{14, 18, 22, 26}), per_element());
  BOOST_TEST(c.order() == (Order{0, 1, 3, 2}), per_element());
  BOOST_TEST(c.counts.hits == 2U);
  BOOST_TEST(c.counts.misses == 2U);
}

BOOST_AUTO_TEST_CASE(row_hits_of_two_bank_groups_follow_at_tCCD_S) {
  HbmChannel c;
  c.run({read(0, 0, 5), read(0, 4, 5)});
  c.run({read(200, 0, 5), read(200, 4, 5), read(200, 0, 5), read(200, 4, 5)});
  // Both rows are open. Group 0 at 200 and 206, group 1 at 203 and 209: never closer than tCCD_S,
  // 6 within a group.
  const Times reads = c.times_of(HbmCommand::read);
  BOOST_TEST(Times(reads.begin() + 2, reads.end()) == (Times{200, 203, 206, 209}), per_element());
}

BOOST_AUTO_TEST_CASE(a_conflict_is_a_precharge_tRP_and_a_miss) {
  HbmChannel c;
  c.run({read(0, 0, 5), read(200, 0, 6)});
  BOOST_TEST(c.times_of(HbmCommand::precharge) == Times{200}, per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 213}), per_element());
  BOOST_TEST(c.ends()[1] == 200U + 13 + 14 + 15 + 2);
  BOOST_TEST(c.counts.conflicts == 1U);
}

BOOST_AUTO_TEST_CASE(a_precharge_waits_for_tRAS_and_the_next_activate_for_tRC) {
  HbmChannel c;
  c.run({read(0, 0, 5), read(0, 0, 6)});
  // Read at 14; tRTP would allow 20, tRAS asks for 34. tRP allows 47, tRC asks for 50.
  BOOST_TEST(c.times_of(HbmCommand::precharge) == Times{34}, per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 50}), per_element());
}

BOOST_AUTO_TEST_CASE(a_precharge_follows_a_read_by_tRTP) {
  HbmChannel c;
  c.run({read(0, 0, 5), read(40, 0, 5), read(40, 0, 6)});
  BOOST_TEST(c.times_of(HbmCommand::precharge) == Times{40 + 6}, per_element());
}

BOOST_AUTO_TEST_CASE(a_precharge_follows_the_data_of_a_write_by_tWR) {
  HbmChannel c;
  c.run({write(0, 0, 5), write(40, 0, 5), write(40, 0, 6)});
  // Written at 40, data until 40 + 5 + 2, then 16.
  BOOST_TEST(c.times_of(HbmCommand::precharge) == Times{63}, per_element());
  BOOST_TEST(c.ends() == (Times{12 + 7, 47, 63 + 13 + 12 + 7}), per_element());
}

BOOST_AUTO_TEST_CASE(activates_follow_at_tRRD_and_the_fifth_at_tFAW) {
  HbmChannel c;
  c.run({read(0, 0, 1), read(0, 1, 1), read(0, 4, 1), read(0, 8, 1), read(0, 12, 1)});
  // Bank 1 is of the group of bank 0: 9. In between none fits: bank 4 at 7, and bank 1 is the older
  // one from 9 on but tRRD_S asks for 14. Groups 2 and 3 at 21 and, the fifth, at 0 + tFAW = 40.
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 7, 14, 21, 40}), per_element());
}

BOOST_AUTO_TEST_CASE(commands_hold_the_row_and_the_column_bus) {
  HbmCommandBuses buses;
  HbmChannel c(with([](HbmBankTiming& t) {
                 t.rrd_s = t.rrd_l = 1;
                 t.faw = 3;
                 t.activate_bus = 6;
                 t.precharge_bus = 5;
                 t.column_bus = 4;
               }),
               {}, &buses);
  c.run({read(0, 0, 1), read(0, 4, 1), read(0, 8, 1)});
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 6, 12}), per_element());
  // Open rows of three groups: tCCD_S is 3, the bus 4.
  c.run({read(200, 0, 1), read(200, 4, 1), read(200, 8, 1)});
  BOOST_TEST(c.times_of(HbmCommand::read) == (Times{14, 20, 26, 200, 204, 208}), per_element());
  // Precharged at 400 and 405; activated tRP = 13 later, at 413, and, since the bus is held until
  // 419, at 419 instead of 418.
  c.run({read(400, 0, 2), read(400, 4, 2)});
  BOOST_TEST(c.times_of(HbmCommand::precharge) == (Times{400, 405}), per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 6, 12, 413, 419}), per_element());
  BOOST_TEST(c.scheduler.had_row_bus_last());
}

BOOST_AUTO_TEST_CASE(a_read_follows_a_write_by_tWTR_within_and_between_groups) {
  for (const bool same_group : {false, true}) {
    HbmChannel c;
    const unsigned bank = same_group ? 1 : 4;
    c.run({read(0, bank, 5), read(0, 0, 5)});  // opens both rows
    c.run({write(200, 0, 5), read(201, bank, 5)});
    // Written at 200, data until 207; tWTR_S 8, tWTR_L 11.
    BOOST_TEST(c.served.back().command == (same_group ? 218U : 215U));
  }
}

BOOST_AUTO_TEST_CASE(a_write_follows_a_read_by_tRTW) {
  HbmChannel c;
  c.run({read(0, 0, 5), write(100, 0, 5)});
  c.run({read(200, 0, 5, 1), write(200, 0, 5, 2)});
  BOOST_TEST(c.served.back().command == 200U + 17);
  // read, write, read, write
  BOOST_TEST(c.scheduler.switches() == 3U);
}

BOOST_AUTO_TEST_CASE(a_refresh_of_all_banks_closes_them_and_blocks_for_tRFC) {
  HbmChannel c(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::all_bank; }));
  c.run({read(900, 0, 5), read(1001, 0, 5)});
  // Due at 1000: precharged at once, refreshed at 1013, activated from 1113 on.
  BOOST_TEST(c.times_of(HbmCommand::refresh) == Times{1013}, per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{900, 1113}), per_element());
  BOOST_TEST(c.ends()[1] == 1113U + 14 + 15 + 2);
  BOOST_TEST(c.counts.misses == 2U);
  BOOST_TEST(c.counts.refreshes == 1U);
}

BOOST_AUTO_TEST_CASE(a_refresh_waits_until_the_row_may_be_closed) {
  HbmChannel c(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::all_bank; }));
  c.run({read(990, 0, 5), read(1001, 0, 5)});
  // Activated at 990: closed from 1024 on, tRAS; then tRP. tRC allows 1040.
  BOOST_TEST(c.times_of(HbmCommand::refresh) == Times{1040}, per_element());
}

BOOST_AUTO_TEST_CASE(a_refresh_of_one_bank_blocks_that_bank_alone) {
  HbmChannel c(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::per_bank; }));
  c.run({read(900, 0, 5), read(900, 4, 5), read(1001, 0, 5), read(1001, 4, 5)});
  // Bank 0 is the first in the round: precharged at 1000, refreshed from 1013 to 1113.
  BOOST_TEST(c.ends()[3] == 1001U + 15 + 2);
  BOOST_TEST(c.ends()[2] == 1113U + 14 + 15 + 2);
}

BOOST_AUTO_TEST_CASE(refreshes_of_an_idle_time_are_over_when_work_arrives) {
  for (const bool traced : {true, false}) {
    HbmChannel c(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::all_bank; }));
    if (!traced) c.scheduler.trace(nullptr);
    c.run({read(0, 0, 5), read(50'500, 0, 5)});
    BOOST_TEST(c.counts.refreshes == 50U);             // at 1000, 2000, ... 50000
    BOOST_TEST(c.ends()[1] == 50'500U + 14 + 15 + 2);  // the row is closed
    HbmChannel into(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::all_bank; }));
    if (!traced) into.scheduler.trace(nullptr);
    into.run({read(50'040, 0, 5)});
    BOOST_TEST(into.ends()[0] == 50'100U + 14 + 15 + 2);  // into the refresh
  }
}

BOOST_AUTO_TEST_CASE(rows_that_are_open_precede_an_older_request_up_to_the_cap) {
  const Requests requests{read(0, 0, 5),  read(14, 0, 6), read(14, 0, 5),
                          read(14, 0, 5), read(14, 0, 5), read(14, 0, 5)};
  HbmQueuePolicy policy;
  policy.max_row_hits = 2;
  HbmChannel capped(round_times(), policy);
  capped.run(requests);
  BOOST_TEST(capped.order() == (Order{0, 2, 3, 1, 4, 5}), per_element());
  HbmChannel open;
  open.run(requests);
  BOOST_TEST(open.order() == (Order{0, 2, 3, 4, 5, 1}), per_element());
  policy.max_row_hits = 0;
  HbmChannel strict(round_times(), policy);
  strict.run(requests);
  BOOST_TEST(strict.order() == (Order{0, 1, 2, 3, 4, 5}), per_element());
}

BOOST_AUTO_TEST_CASE(reads_precede_writes_until_high_and_a_drain_ends_at_low) {
  HbmQueuePolicy policy;
  policy.writes = 8;
  policy.high = 4;
  policy.low = 1;
  HbmChannel c(round_times(), policy);
  Requests requests{read(0, 0, 5)};
  for (std::uint16_t i = 0; i < 3; ++i) requests.push_back(write(20, 0, 5, 100 + i));
  for (std::uint16_t i = 0; i < 20; ++i) requests.push_back(read(20, 0, 5, i));
  requests.push_back(write(60, 0, 5, 103));
  c.run(requests);
  // Reads from 20 on at tCCD_L; with the fourth write at 60 a drain writes three: one is left. It
  // is written when the reads are done.
  const Order order = c.order();
  const auto first = std::find(order.begin(), order.end(), 1U);
  BOOST_TEST((first - order.begin()) == 1 + 10);  // 10 reads at 20, 24, ... 56
  BOOST_TEST(Order(first, first + 3) == (Order{1, 2, 3}), per_element());
  BOOST_TEST(order[11 + 3] == 4U + 10);
  BOOST_TEST(order.back() == 24U);
  BOOST_TEST(c.counts.drains == 1U);
}

// high 2, low 1: two queued writes begin a drain, the first of them ends it.
HbmQueuePolicy small_drains() {
  HbmQueuePolicy policy;
  policy.high = 2;
  policy.low = 1;
  return policy;
}

BOOST_AUTO_TEST_CASE(a_read_whose_row_is_open_precedes_a_drain) {
  HbmChannel c(round_times(), small_drains());
  c.run({read(0, 0, 5), write(10, 4, 7, 0), write(10, 4, 7, 1), read(10, 8, 1)});
  // The drain begins at 10 and opens its row, 10 + 12 = 22. Bank 0 is read at 14, as it would be
  // without writes; tRTW then asks for 31. The other read follows the first write, which ends the
  // drain: bank 8 is activated at 31; its write of 35 is left for later.
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 10, 31}), per_element());
  BOOST_TEST(c.order() == (Order{0, 1, 3, 2}), per_element());
  BOOST_TEST(c.times_of(HbmCommand::read)[0] == 14U);
  BOOST_TEST(c.times_of(HbmCommand::write)[0] == 31U);
}

BOOST_AUTO_TEST_CASE(a_write_whose_row_is_open_precedes_the_reads_after_a_drain) {
  HbmChannel c(round_times(), small_drains());
  c.run({write(0, 0, 5), write(0, 4, 7), read(5, 8, 1)});
  // Rows are opened at 0 and 7. The write of 12 ends the drain: bank 8 is activated at 14, tRRD_S
  // after 7, but bank 4 is written at 19 before it is read: data until 26, tWTR_S 8.
  BOOST_TEST(c.times_of(HbmCommand::write) == (Times{12, 19}), per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{0, 7, 14}), per_element());
  BOOST_TEST(c.times_of(HbmCommand::read) == Times{34}, per_element());
}

BOOST_AUTO_TEST_CASE(a_row_opened_for_a_write_is_not_closed_for_a_read) {
  HbmChannel c(round_times(), small_drains());
  c.run({write(0, 0, 5), write(0, 4, 7), read(5, 4, 9)});
  // tRAS would allow 7 + 34 = 41; written at 19, data until 26, tWR 16.
  BOOST_TEST(c.times_of(HbmCommand::precharge) == Times{42}, per_element());
  BOOST_TEST(c.order() == (Order{0, 1, 2}), per_element());
}

BOOST_AUTO_TEST_CASE(a_refresh_waits_for_the_request_whose_row_is_open) {
  HbmChannel c(with([](HbmBankTiming& t) { t.refresh = HbmRefresh::all_bank; }));
  c.run({read(995, 0, 5), read(1001, 4, 5), read(1001, 0, 5, 1)});
  // Due at 1000. Bank 0 is read at 995 + 14; neither another row is opened nor the second hit
  // served. Closed at tRAS = 1029; tRC allows the refresh at 1045.
  BOOST_TEST(c.ends()[0] == 995U + 14 + 15 + 2);
  BOOST_TEST(c.times_of(HbmCommand::refresh) == Times{1045}, per_element());
  BOOST_TEST(c.times_of(HbmCommand::activate) == (Times{995, 1145, 1152}), per_element());
}

BOOST_AUTO_TEST_CASE(a_write_waits_for_room_in_its_queue) {
  HbmQueuePolicy policy;
  policy.writes = 2;
  policy.high = 2;
  policy.low = 1;
  HbmChannel c(round_times(), policy);
  c.run({write(0, 0, 5, 0), write(0, 0, 5, 1), write(0, 0, 5, 2)});
  // The first is written at tRCD = 12, which makes room.
  BOOST_TEST(c.times_of(HbmCommand::write) == (Times{12, 16, 20}), per_element());
  BOOST_TEST(c.counts.write_depth == 2U);
  BOOST_TEST(c.counts.write_wait_fs == 12U + 16 + (20 - 12));
}

BOOST_AUTO_TEST_CASE(a_read_that_a_queued_write_covers_is_served_from_the_queue) {
  HbmChannel c;
  c.run({read(0, 0, 5), write(14, 1, 9, 3), read(14, 1, 9, 3), read(14, 1, 9, 4)});
  // Without the bus, with the latency of a row hit: 14 + 15 + 2.
  BOOST_TEST(c.ends()[2] == 31U);
  BOOST_TEST(c.counts.forwarded == 1U);
  BOOST_TEST(c.times_of(HbmCommand::read).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_closed_page_is_closed_by_the_last_queued_access_of_its_row) {
  HbmChannel c(with([](HbmBankTiming& t) { t.closed_page = true; }));
  c.run({read(0, 0, 5), read(0, 0, 5), read(200, 0, 6)});
  // Read at 14 and 18; closed at tRAS = 34 by the second. At 200 the bank is closed: no tRP.
  BOOST_TEST(c.times_of(HbmCommand::precharge) == (Times{34, 200 + 34}), per_element());
  BOOST_TEST(c.ends()[2] == 200U + 14 + 15 + 2);
  BOOST_TEST(c.counts.misses == 2U);
  BOOST_TEST(c.counts.hits == 1U);
}

BOOST_AUTO_TEST_CASE(a_stream_over_all_groups_uses_the_whole_bus) {
  HbmChannel c(with([](HbmBankTiming& t) { t.ccd_s = t.burst; }));
  Requests requests;
  for (unsigned i = 0; i < 128; ++i)
    requests.push_back(read(0, i % 4 * 4, 1, static_cast<std::uint16_t>(i / 4)));
  c.run(requests);
  // The last of four rows is open at 3 * tRRD_S + tRCD = 35; from then on one burst every 2.
  const Times reads = c.times_of(HbmCommand::read);
  BOOST_TEST(reads.back() - reads[32] == 2U * (127 - 32));
}

BOOST_AUTO_TEST_SUITE_END()
