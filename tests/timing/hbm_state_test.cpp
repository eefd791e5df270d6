// The arithmetic of pseudo-channels (spec 2.5).
#include "models/timing/hbm_state.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/timing/hbm_read.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(hbm_state)

BOOST_AUTO_TEST_CASE(the_channel_is_the_burst_number_modulo_the_channels) {
  const HbmState state(8, 256, 10, 0);
  BOOST_TEST(state.channel_of(state.bursts_of(0, 1).first) == 0U);
  BOOST_TEST(state.channel_of(state.bursts_of(255, 1).first) == 0U);
  BOOST_TEST(state.channel_of(state.bursts_of(256, 1).first) == 1U);
  BOOST_TEST(state.channel_of(state.bursts_of(8 * 256, 1).first) == 0U);
  BOOST_TEST(state.channel_of(state.bursts_of(15 * 256 + 3, 1).first) == 7U);
}

BOOST_AUTO_TEST_CASE(a_burst_touched_in_part_counts_as_a_whole_one) {
  const HbmState state(8, 256, 10, 0);
  BOOST_TEST(state.bursts_of(0, 256).count() == 1U);
  BOOST_TEST(state.bursts_of(255, 2).count() == 2U);
  BOOST_TEST(state.bursts_of(100, 1).count() == 1U);
  BOOST_TEST(state.bursts_of(255, 258).count() == 3U);
}

BOOST_AUTO_TEST_CASE(bursts_of_one_channel_queue_and_channels_are_independent) {
  HbmState state(2, 256, 10, 0);
  BOOST_TEST(book(state, 0, HbmDirection::write, 100) == 110U);
  BOOST_TEST(book(state, 0, HbmDirection::write, 100) == 120U);
  BOOST_TEST(book(state, 1, HbmDirection::write, 100) == 110U);
  BOOST_TEST(book(state, 0, HbmDirection::read, 105) ==
             130U);  // reads and writes share the channel
  BOOST_TEST(book(state, 0, HbmDirection::read, 500) == 510U);
}

BOOST_AUTO_TEST_CASE(a_change_of_direction_costs_the_penalty_after_idle_too_but_not_at_first_use) {
  HbmState state(1, 256, 10, 3);
  BOOST_TEST(book(state, 0, HbmDirection::write, 100) == 110U);  // first use: no penalty
  BOOST_TEST(book(state, 0, HbmDirection::read, 100) == 123U);   // 110 + 3 + 10
  BOOST_TEST(book(state, 0, HbmDirection::read, 100) == 133U);
  BOOST_TEST(book(state, 0, HbmDirection::write, 1000) == 1013U);  // idle since 133: 1000 + 3 + 10
}

BOOST_AUTO_TEST_CASE(several_bursts_at_once_equal_single_ones) {
  HbmState one(1, 256, 10, 3);
  HbmState all(1, 256, 10, 3);
  book(one, 0, HbmDirection::write, 0);
  book(all, 0, HbmDirection::write, 0);
  const Fs first = book(one, 0, HbmDirection::read, 5);
  book(one, 0, HbmDirection::read, 5);
  book(one, 0, HbmDirection::read, 5);
  BOOST_TEST(book(all, 0, HbmDirection::read, 5, 3) == first);
  BOOST_TEST(all.channels[0].available_at == one.channels[0].available_at);
}

// Every burst booked by itself in address order; a byte is out when all bursts up to its own have
// finished. Of the partition, or of one channel, all of whose bursts are its own.
RC_BOOST_PROP(a_read_is_out_in_order_of_address, ()) {
  const auto num_pcs = std::uint32_t{1} << *rc::gen::inRange(0, 5);
  const auto burst_bytes = std::uint32_t{1} << *rc::gen::inRange(0, 9);
  const auto burst_time = *rc::gen::inRange<Fs>(0, 20);
  const auto penalty = *rc::gen::inRange<Fs>(0, 7);
  HbmState state(num_pcs, burst_bytes, burst_time, penalty);
  for (const auto& [channel, write] :
       *rc::gen::container<std::vector<std::pair<std::uint32_t, bool>>>(rc::gen::pair(
           rc::gen::inRange<std::uint32_t>(0, num_pcs), rc::gen::arbitrary<bool>()))) {
    book(state, channel, write ? HbmDirection::write : HbmDirection::read,
         *rc::gen::inRange<Fs>(0, 100));
  }
  HbmState naive = state;
  const auto offset = *rc::gen::inRange<std::uint64_t>(0, 5000);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 5000);
  const auto now = *rc::gen::inRange<Fs>(0, 150);
  const bool one = *rc::gen::arbitrary<bool>();
  const auto only = static_cast<std::uint16_t>(one ? *rc::gen::inRange<std::uint32_t>(0, num_pcs)
                                                   : every_channel);

  HbmRead read;
  read.book_all(state, offset, bytes, now, only);
  std::vector<Fs> finish;
  const BurstRange bursts = naive.bursts_of(offset, bytes);
  for (std::uint64_t burst = bursts.first; burst <= bursts.last; ++burst) {
    finish.push_back(book(naive, one ? only : burst % num_pcs, HbmDirection::read, now));
  }
  for (std::uint32_t channel = 0; channel < num_pcs; ++channel) {
    RC_ASSERT(state.channels[channel].available_at == naive.channels[channel].available_at);
    RC_ASSERT(state.channels[channel].last == naive.channels[channel].last);
  }
  const auto step = *rc::gen::inRange<std::uint64_t>(1, 600);
  for (std::uint64_t at = offset; at < offset + bytes; at += step) {
    const auto upto = static_cast<std::ptrdiff_t>(at / burst_bytes - bursts.first + 1);
    RC_ASSERT(read.ready(at) == *std::max_element(finish.begin(), finish.begin() + upto));
  }
}

BOOST_AUTO_TEST_SUITE_END()
