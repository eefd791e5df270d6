// Stall time is cut at now, whatever is booked ahead (spec 11.3): held against the list of all
// stalls.
#include "models/timing/stall_time.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <tuple>
#include <vector>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(stall_time)

// Three messages that come at 10 to a link that is occupied until 10, for 20 each: the second is
// queued in [10, 30), the third in [10, 50).
BOOST_AUTO_TEST_CASE(what_is_booked_ahead_does_not_count) {
  BookedStalls stalls;
  for (const Fs start : {10, 30, 50}) stalls.book(10, 10, start);
  BOOST_TEST(stalls.until(10) == 0U);
  BOOST_TEST(stalls.until(25) == 2U * 15);
  BOOST_TEST(stalls.until(35) == 20U + 25);
  BOOST_TEST(stalls.until(50) == 20U + 40);
  BOOST_TEST(stalls.until(1000) == 20U + 40);
}

RC_BOOST_PROP(stall_time_up_to_now_is_that_of_all_stalls_cut_there, ()) {
  BookedStalls booked;
  std::vector<std::pair<Fs, Fs>> stalls;
  Fs now = 0, available_at = 0;
  const auto small = rc::gen::inRange<Fs>(0, 40);
  for (const auto& [pause, later, service] :
       *rc::gen::container<std::vector<std::tuple<Fs, Fs, Fs>>>(
           rc::gen::tuple(small, small, small))) {
    now += pause;
    const Fs from = now + later, start = std::max(from, available_at);
    booked.book(now, from, start);
    stalls.emplace_back(from, start);
    available_at = start + service;
    for (const Fs on : {Fs{0}, *small, Fs{1000}}) {
      Fs sum = 0;
      for (const auto& [begin, end] : stalls)
        sum += std::min(end, now + on) - std::min(begin, now + on);
      RC_ASSERT(booked.until(now + on) == sum);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_queued_counts_so_far) {
  struct Entry {
    Fs since;
  };
  BOOST_TEST(stalled_in(std::vector<Entry>{{10}, {15}, {40}}, 20) == 10U + 5);
}

BOOST_AUTO_TEST_SUITE_END()
