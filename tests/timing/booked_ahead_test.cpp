// Busy time is cut at now exactly, whatever is booked ahead (spec 11.3): held against the list of
// all bookings.
#include "models/timing/booked_ahead.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <vector>

#include "models/timing/service_time.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(booked_ahead)

namespace {

struct Booking {
  Fs from, until;
};

Fs busy_until(const std::vector<Booking>& bookings, Fs now) {
  Fs busy = 0;
  for (const Booking& booking : bookings)
    busy += std::min(booking.until, now) - std::min(booking.from, now);
  return busy;
}

}  // namespace

BOOST_AUTO_TEST_CASE(gaps_ahead_are_not_busy) {
  BookedAhead ahead;
  ahead.add_gap(100, 110, 115);  // booked until 110, then 115 to 130
  BOOST_TEST(ahead.after(100, 130) == 25U);
  BOOST_TEST(ahead.after(112, 130) == 15U);  // in the gap
  BOOST_TEST(ahead.after(120, 130) == 10U);
  BOOST_TEST(ahead.after(130, 130) == 0U);
  BOOST_TEST(ahead.after(200, 130) == 0U);
}

// Bookings for now or for later, at once or after a pause, some with a gap of their own before they
// begin (a change of direction).
RC_BOOST_PROP(busy_time_up_to_now_is_that_of_all_bookings_cut_there, ()) {
  BookedAhead ahead;
  std::vector<Booking> bookings;
  Fs now = 0, available_at = 0, booked = 0;
  const auto small = rc::gen::inRange<Fs>(0, 40);
  for (const auto& [pause, later, penalty, service] :
       *rc::gen::container<std::vector<std::tuple<Fs, Fs, Fs, Fs>>>(
           rc::gen::tuple(small, small, small, small))) {
    now += pause;
    const Fs start =
        std::max(now + (later > 20 ? later : 0), available_at) + (penalty > 30 ? penalty : 0);
    if (start > available_at) ahead.add_gap(now, available_at, start);
    available_at = start + service;
    booked += service;
    bookings.push_back({start, available_at});
    for (const Fs on : {Fs{0}, *small, Fs{1000}}) {
      RC_ASSERT(booked - ahead.after(now + on, available_at) == busy_until(bookings, now + on));
    }
  }
}

RC_BOOST_PROP(the_bytes_of_a_service_time_are_those_that_took_it, ()) {
  const ServiceTime service(Rational::fraction(*rc::gen::inRange<std::int64_t>(1, 100000),
                                               *rc::gen::inRange<std::int64_t>(1, 1000)),
                            256);
  const auto full = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto rest = *rc::gen::inRange<std::uint32_t>(0, 256);
  RC_ASSERT(service.bytes_in(full * service.of(256) + service.of(rest)) == full * 256 + rest);
}

BOOST_AUTO_TEST_CASE(without_a_bandwidth_no_bytes_lie_ahead) {
  BOOST_TEST(ServiceTime().bytes_in(1000) == 0U);
}

// 2.5 bytes per femtosecond: one byte takes no time.
BOOST_AUTO_TEST_CASE(no_time_is_no_bytes_however_fast_the_link) {
  const ServiceTime service(Rational(2'500'000), 256);
  BOOST_TEST(service.of(1) == 0U);
  BOOST_TEST(service.bytes_in(0) == 0U);
  BOOST_TEST(service.bytes_in(service.of(256)) == 256U);
}

BOOST_AUTO_TEST_SUITE_END()
