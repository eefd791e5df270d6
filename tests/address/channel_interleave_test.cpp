// How bytes go round the channels of a partition (spec 2.5, 3.3): pc(a) = (a / burst_bytes) mod
// num_pcs, dense in each channel.
#include "models/address/channel_interleave.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(channel_interleave)

BOOST_AUTO_TEST_CASE(bursts_go_round_the_channels) {
  const ChannelInterleave hbm{8, 256};
  BOOST_TEST(hbm.channel_of(0) == 0U);
  BOOST_TEST(hbm.channel_of(255) == 0U);
  BOOST_TEST(hbm.channel_of(256) == 1U);
  BOOST_TEST(hbm.channel_of(2047) == 7U);
  BOOST_TEST(hbm.channel_of(2048) == 0U);
  BOOST_TEST(hbm.round_bytes() == 2048U);
}

BOOST_AUTO_TEST_CASE(a_channel_counts_its_own_bytes) {
  const ChannelInterleave hbm{8, 256};
  BOOST_TEST(hbm.offset_in_channel(3 * 256 + 5) == 5U);
  BOOST_TEST(hbm.offset_in_channel(2048 + 3 * 256 + 5) == 256U + 5);
}

// Walking up the partition, every channel sees its bytes as 0, 1, 2, ...
RC_BOOST_PROP(every_channel_s_bytes_are_dense_and_in_order, ()) {
  const ChannelInterleave hbm{std::uint32_t{1} << *rc::gen::inRange(0, 5),
                              std::uint32_t{1} << *rc::gen::inRange(0, 6)};
  std::vector<std::uint64_t> next(hbm.channels, 0);
  for (std::uint64_t offset = 0; offset < 3 * hbm.round_bytes(); ++offset) {
    RC_ASSERT(hbm.channel_of(offset) == offset / hbm.burst_bytes % hbm.channels);
    RC_ASSERT(hbm.offset_in_channel(offset) == next[hbm.channel_of(offset)]++);
  }
}

BOOST_AUTO_TEST_SUITE_END()
