// The arithmetic of a link and of a serial server (spec 2.3, 2.4).
#include "models/timing/link_state.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/timing/router_state.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(link_state)

BOOST_AUTO_TEST_CASE(a_flit_starts_when_it_is_handed_over_and_the_link_is_free) {
  LinkState link;
  BOOST_TEST(advance(link, 100, 10) == 110U);
  BOOST_TEST(advance(link, 105, 10) == 120U);  // waits until 110
  BOOST_TEST(advance(link, 200, 10) == 210U);  // the link has been idle
  BOOST_TEST(link.available_at == 210U);
}

BOOST_AUTO_TEST_CASE(a_control_message_waits_but_does_not_move_available_at) {
  LinkState link;
  advance(link, 100, 10);
  BOOST_TEST(control_departure(link, 104) == 110U);
  BOOST_TEST(control_departure(link, 111) == 111U);
  BOOST_TEST(link.available_at == 110U);
}

RC_BOOST_PROP(available_at_never_moves_back_and_no_service_is_lost, ()) {
  LinkState link;
  Fs handed_over = 0;
  Fs busy = 0;
  for (const auto& [gap, service] : *rc::gen::container<std::vector<std::pair<Fs, Fs>>>(
           rc::gen::pair(rc::gen::inRange<Fs>(0, 50), rc::gen::inRange<Fs>(0, 50)))) {
    handed_over += gap;
    const Fs before = link.available_at;
    const Fs left = advance(link, handed_over, service);
    RC_ASSERT(left >= before + service);
    RC_ASSERT(left >= handed_over + service);
    RC_ASSERT(left == before + service || left == handed_over + service);
    busy += service;
    RC_ASSERT(left >= busy);
  }
}

BOOST_AUTO_TEST_CASE(propagation_is_at_least_one_femtosecond) {
  BOOST_TEST(propagation_fs(Rational(0), Rational::parse("0.1")) == 1U);
  BOOST_TEST(propagation_fs(Rational::parse("0.000001"), Rational::parse("0.1")) == 1U);  // 0.1 fs
  BOOST_TEST(propagation_fs(Rational(50), Rational::parse("0.1")) == 5'000'000U);
  BOOST_TEST(propagation_fs(Rational::parse("0.000015"), Rational::parse("0.1")) ==
             2U);  // 1.5 fs, half up
}

BOOST_AUTO_TEST_CASE(a_serial_server_holds_for_first_flits_only) {
  RouterState server;
  BOOST_TEST(hand_over_time(server, 100, 7) == 107U);
  BOOST_TEST(advance(server, 100, 7) == 107U);
  BOOST_TEST(advance(server, 103, 0) == 107U);  // behind the holder
  BOOST_TEST(advance(server, 104, 7) == 114U);  // holds from 107
  BOOST_TEST(advance(server, 120, 0) == 120U);
}

BOOST_AUTO_TEST_SUITE_END()
