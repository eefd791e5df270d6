// A payload is cut into flits at multiples of flit_bytes in the target address (spec 2.2).
#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

#include "models/protocol/transaction.h"

using kernbench::RouteExtension;

BOOST_AUTO_TEST_SUITE(flits)

BOOST_AUTO_TEST_CASE(first_and_last_may_be_short) {
  RouteExtension route;
  route.offset = 100;
  route.cut_flits(600, 256);  // 100..255, 256..511, 512..699
  BOOST_TEST(route.flits == 3U);
  BOOST_TEST(route.bytes_of(0) == 156U);
  BOOST_TEST(route.bytes_of(1) == 256U);
  BOOST_TEST(route.bytes_of(2) == 188U);
}

BOOST_AUTO_TEST_CASE(a_payload_inside_one_flit_is_one_flit) {
  RouteExtension route;
  route.offset = 511;
  route.cut_flits(1, 256);
  BOOST_TEST(route.flits == 1U);
  BOOST_TEST(route.bytes_of(0) == 1U);
}

BOOST_AUTO_TEST_CASE(no_bytes_are_a_control_message) {
  RouteExtension route;
  route.flits = 0;
  BOOST_TEST(route.is_control());
}

RC_BOOST_PROP(flits_cover_the_payload_and_never_cross_a_multiple_of_flit_bytes, ()) {
  const auto flit_bytes = *rc::gen::inRange<std::uint32_t>(1, 600);
  RouteExtension route;
  route.offset = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 20000);
  route.cut_flits(bytes, flit_bytes);
  std::uint64_t at = route.offset;
  for (std::uint32_t flit = 0; flit < route.flits; ++flit) {
    const std::uint32_t size = route.bytes_of(flit);
    RC_ASSERT(size > 0U);
    RC_ASSERT(route.offset_of(flit) == at);
    RC_ASSERT(at / flit_bytes == (at + size - 1) / flit_bytes);
    if (flit > 0) RC_ASSERT(at % flit_bytes == 0U);
    at += size;
  }
  RC_ASSERT(at == route.offset + bytes);
}

BOOST_AUTO_TEST_SUITE_END()
