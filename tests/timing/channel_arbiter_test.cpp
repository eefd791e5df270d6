// Which virtual channel has the link next (spec 2.6).
#include "models/timing/channel_arbiter.h"

#include <boost/test/unit_test.hpp>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(channel_arbiter)

BOOST_AUTO_TEST_CASE(the_channel_that_was_not_served_last_goes_first) {
  ChannelArbiterState state;
  BOOST_TEST(
      (next_channel(state, true, true) == VirtualChannel::compute));  // at the start of a run
  serve(state, VirtualChannel::compute, 0, 10);
  BOOST_TEST((next_channel(state, true, true) == VirtualChannel::comm));
  serve(state, VirtualChannel::comm, 10, 10);
  BOOST_TEST((next_channel(state, true, true) == VirtualChannel::compute));
}

BOOST_AUTO_TEST_CASE(a_channel_alone_is_served_again) {
  ChannelArbiterState state;
  serve(state, VirtualChannel::comm, 0, 10);
  BOOST_TEST((next_channel(state, false, true) == VirtualChannel::comm));
  serve(state, VirtualChannel::compute, 10, 10);
  BOOST_TEST((next_channel(state, true, false) == VirtualChannel::compute));
}

BOOST_AUTO_TEST_CASE(the_link_is_free_when_what_it_was_given_has_left) {
  ChannelArbiterState state;
  serve(state, VirtualChannel::compute, 100, 10);
  BOOST_TEST(state.free_at == 110u);
  serve(state, VirtualChannel::compute, 105, 10);  // handed over early: behind the first
  BOOST_TEST(state.free_at == 120u);
  serve(state, VirtualChannel::comm, 200, 5);
  BOOST_TEST(state.free_at == 205u);
}

BOOST_AUTO_TEST_SUITE_END()
