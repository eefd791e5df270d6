// The shadow of an HBM partition books as the controller does (spec 2.5), and tells how long others
// held the channel of a transfer. Bursts of 16 B on 4 channels, 16 fs each.
#include "platform/observe/hbm_shadow.h"

#include <boost/test/unit_test.hpp>

#include "models/protocol/transaction.h"

using namespace kernbench;

namespace {

HbmShadow shadow() {
  Attributes attributes;
  attributes.set("num_pcs", Rational(4));
  attributes.set("burst_bytes", Rational(16));
  attributes.set("link_bw_gbs", Rational(4000000));
  attributes.set("efficiency", Rational(1));
  attributes.set("switch_penalty_ns", Rational(0));
  return HbmShadow(attributes);
}

TransactionHandle request(TransactionPool& pool, std::uint64_t offset, unsigned bytes,
                          std::uint16_t channel = every_channel) {
  TransactionHandle transaction = pool.make();
  transaction->set_data_length(bytes);
  transaction->route().offset = offset;
  transaction->route().channel = channel;
  return transaction;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hbm_shadow)

// Burst 2 is on channel 2, from 100 to 116; then two bursts of channel 2 alone, from 116 to 148.
BOOST_AUTO_TEST_CASE(a_request_for_one_channel_waits_for_those_to_the_partition_that_touch_it) {
  HbmShadow hbm = shadow();
  TransactionPool pool;
  const TransactionHandle whole = request(pool, 32, 16), one = request(pool, 0, 32, 2),
                          other = request(pool, 0, 32, 3);
  const HbmShadow::Bursts of_whole = hbm.book_read(*whole, 100).at(0);
  const HbmShadow::Bursts of_one = hbm.book_read(*one, 100).at(0);
  const HbmShadow::Bursts of_other = hbm.book_read(*other, 100).at(0);
  BOOST_TEST(of_whole.finish == 116U);
  BOOST_TEST(of_whole.channel == 2U);
  BOOST_TEST(of_one.first_finish == 132U);
  BOOST_TEST(of_one.finish == 148U);
  BOOST_TEST(of_one.channel == 2U);
  BOOST_TEST(hbm.held_by_others(*one, 2, 100, of_one.finish) == 16U);
  BOOST_TEST(of_other.finish == 132U);
  BOOST_TEST(hbm.held_by_others(*other, 3, 100, of_other.finish) == 0U);
}

BOOST_AUTO_TEST_CASE(the_flits_of_a_write_for_one_channel_book_there) {
  HbmShadow hbm = shadow();
  TransactionPool pool;
  const TransactionHandle write = request(pool, 16, 32, 1);
  write->route().cut_flits(32, 16);
  hbm.book_write_flit(*write, 0, 100);
  const HbmShadow::Bursts second = hbm.book_write_flit(*write, 1, 101).at(0);
  BOOST_TEST(second.finish == 132U);
  BOOST_TEST(second.channel == 1U);
  BOOST_TEST(hbm.bursts_of(*write, 1).first == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
