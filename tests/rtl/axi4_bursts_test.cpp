// How a range of bytes is cut into bursts and beats.
#include "models/rtl/axi4_bursts.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <vector>

#include "models/rtl/written_bytes.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(axi4_bursts_test)

RC_BOOST_PROP(bursts_and_beats_cover_a_range_once_within_4_kib_and_256_beats, ()) {
  const unsigned data_bytes = *rc::gen::element(8U, 16U, 32U, 64U);
  const auto begin = *rc::gen::inRange<std::uint64_t>(0, 20000);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 20000);
  std::uint64_t at = begin;
  for (const Axi4Burst& burst : cut_bursts(begin, bytes, data_bytes)) {
    const unsigned beats = burst.beats(data_bytes);
    RC_ASSERT(beats >= 1U);
    RC_ASSERT(beats <= 256U);
    RC_ASSERT(burst.address / 4096 == (burst.address + burst.bytes - 1) / 4096);
    for (unsigned i = 0; i < beats; ++i) {
      const Axi4Beat beat = beat_of(burst, i, data_bytes);
      RC_ASSERT(burst.address + beat.offset == at);
      RC_ASSERT(at % data_bytes == beat.lane);
      RC_ASSERT(beat.bytes >= 1U);
      RC_ASSERT(beat.lane + beat.bytes <= data_bytes);
      at += beat.bytes;
    }
  }
  RC_ASSERT(at == begin + bytes);
}

BOOST_AUTO_TEST_CASE(bursts_end_at_boundaries_only) {
  BOOST_TEST(cut_bursts(0, 4096, 64).size() == 1U);
  BOOST_TEST(cut_bursts(1, 4096, 64).size() == 2U);
  BOOST_TEST(cut_bursts(0, 4096, 8).size() == 2U);
  BOOST_TEST(cut_bursts(4095, 2, 64).size() == 2U);
}

BOOST_AUTO_TEST_CASE(written_bytes_are_known_until_they_are_forgotten) {
  WrittenBytes bytes;
  const unsigned char values[] = {1, 2, 3, 4};
  bytes.set(4094, values, 4);
  BOOST_TEST(!bytes.at(4093).has_value());
  BOOST_TEST(int{bytes.at(4094).value()} == 1);
  BOOST_TEST(int{bytes.at(4097).value()} == 4);
  bytes.forget(4095, 2);
  BOOST_TEST(int{bytes.at(4094).value()} == 1);
  BOOST_TEST(!bytes.at(4096).has_value());
  BOOST_TEST(int{bytes.at(4097).value()} == 4);
}

// Byte 4095 is the last one of a page, of which 4093 has never been written.
BOOST_AUTO_TEST_CASE(bytes_are_compared_where_they_are_known_up_to_the_first_difference) {
  WrittenBytes bytes;
  const unsigned char values[] = {1, 2, 3, 4};
  bytes.set(4094, values, 4);
  const auto compared = [&](std::vector<unsigned char> read) {
    return bytes.compare(4093, read.data(), read.size());
  };
  BOOST_TEST(compared({9, 1, 2, 3, 4, 9}).equal == 4U);
  BOOST_TEST(!compared({9, 1, 2, 3, 4, 9}).difference.has_value());
  BOOST_TEST(compared({9, 1, 2, 3, 5, 9}).equal == 3U);
  BOOST_TEST(compared({9, 1, 2, 3, 5, 9}).difference.value() == 4097U);
  BOOST_TEST(compared({9, 1, 7, 3, 5, 9}).equal == 1U);
  BOOST_TEST(compared({9, 1, 7, 3, 5, 9}).difference.value() == 4095U);
  bytes.forget(4095, 3);
  BOOST_TEST(compared({9, 1, 7, 7, 7, 9}).equal == 1U);
  BOOST_TEST(!compared({9, 1, 7, 7, 7, 9}).difference.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
