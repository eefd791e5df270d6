// Delays are exact and rounded half up once (spec 2.2).
#include "models/timing/service_time.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>

using kernbench::Fs;
using kernbench::Rational;
using kernbench::ServiceTime;
using kernbench::transfer_fs;

BOOST_AUTO_TEST_SUITE(service_time)

BOOST_AUTO_TEST_CASE(bytes_over_bandwidth_in_femtoseconds) {
  const ServiceTime service(Rational(256), 256);
  BOOST_TEST(service.of(256) == 1'000'000U);  // 256 B / 256 B/ns = 1 ns
  BOOST_TEST(service.of(64) == 250'000U);
  BOOST_TEST(service.of(1) == 3906U);  // 3906.25 fs
}

BOOST_AUTO_TEST_CASE(rounds_half_up_once_per_delay) {
  const ServiceTime service(Rational(2'000'000), 256);  // half a femtosecond per byte
  BOOST_TEST(service.of(1) == 1U);                      // 0.5
  BOOST_TEST(service.of(2) == 1U);
  BOOST_TEST(service.of(3) == 2U);  // 1.5
  const ServiceTime third(Rational(3), 256);
  BOOST_TEST(third.of(100) == 33'333'333U);  // ....33
  BOOST_TEST(third.of(200) == 66'666'667U);  // ....67: not twice the above
}

BOOST_AUTO_TEST_CASE(no_bandwidth_means_no_time) {
  BOOST_TEST(ServiceTime().of(256) == 0U);
  BOOST_TEST(ServiceTime(Rational(0), 256).of(256) == 0U);
  BOOST_TEST(ServiceTime(Rational(0), 256).of(255) == 0U);
}

BOOST_AUTO_TEST_CASE(a_bandwidth_beyond_exact_arithmetic_is_refused) {
  BOOST_CHECK_THROW(ServiceTime(Rational::parse("1e-18"), 256), std::overflow_error);
  BOOST_CHECK_THROW(ServiceTime(Rational(-1), 256), std::domain_error);
}

RC_BOOST_PROP(equals_the_exact_quotient_for_any_decimal, ()) {
  const auto digits = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000);
  const auto places = *rc::gen::inRange(0, 10);
  const Rational gbs =
      Rational::fraction(digits, 1) / Rational::parse("1e" + std::to_string(places));
  const auto bytes = *rc::gen::inRange<std::uint32_t>(1, 65536);
  const auto full = *rc::gen::inRange<std::uint32_t>(1, 65536);
  RC_PRE(gbs > Rational::parse("0.001"));
  RC_ASSERT(ServiceTime(gbs, full).of(bytes) == transfer_fs(bytes, gbs));
  RC_ASSERT(ServiceTime(gbs, full).of(full) == transfer_fs(full, gbs));
}

BOOST_AUTO_TEST_SUITE_END()
