// Exact decimals and their rounding to femtoseconds.
#include "models/base/units.h"

#include <rapidcheck/boost_test.h>

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

using namespace kernbench;

namespace kernbench {
// For messages of Boost.Test.
static std::ostream& operator<<(std::ostream& out, const Rational& r) { return out << r.str(); }
}  // namespace kernbench

BOOST_AUTO_TEST_SUITE(units_test)

namespace {

Rational dec(const char* text) { return Rational::parse(text); }

Rational any_fraction() {
  const auto num = *rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000);
  const auto den = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  return Rational::fraction(num, den);
}

}  // namespace

BOOST_AUTO_TEST_CASE(decimals_are_read_exactly) {
  BOOST_TEST(dec("0.1") == Rational::fraction(1, 10));
  BOOST_TEST(dec("-12") == Rational(-12));
  BOOST_TEST(dec("+0.125") == Rational::fraction(1, 8));
  BOOST_TEST(dec("1e3") == Rational(1000));
  BOOST_TEST(dec("2.5E-3") == Rational::fraction(1, 400));
  BOOST_TEST(dec(".5") == Rational::fraction(1, 2));
  BOOST_TEST(dec("0.000") == Rational(0));
  BOOST_TEST(dec("0e99") == Rational(0));
  BOOST_TEST(dec("123456789012345678") == Rational(123456789012345678));
  BOOST_TEST(dec("1e-36") == Rational(1) / (dec("1e18") * dec("1e18")));
}

BOOST_AUTO_TEST_CASE(what_is_no_decimal_is_refused) {
  for (const char* text :
       {"", "-", ".", "e3", "1e", "1e+", "abc", "1.2.3", "1 ", " 1", "0x10", "1_000", "nan", "inf",
        "1e99999", "1e19", "1e-37", "1234567890123456789", "1.234567890123456789"}) {
    BOOST_CHECK_EXCEPTION(dec(text), std::invalid_argument, [&](const std::exception& error) {
      return std::string(error.what()).find("'" + std::string(text) + "'") ==
             0;  // the message opens with what was found
    });
  }
}

BOOST_AUTO_TEST_CASE(zeros_are_no_significant_digits) {
  BOOST_TEST(dec("0.000000000000000000001") == dec("1e-21"));
  BOOST_TEST(dec("00000000000000000000042") == Rational(42));
}

BOOST_AUTO_TEST_CASE(tenths_add_up_exactly) {
  Rational sum;
  for (int i = 0; i < 10; ++i) sum = sum + dec("0.1");
  BOOST_TEST(sum == Rational(1));
  BOOST_TEST(sum.is_integer());
}

BOOST_AUTO_TEST_CASE(fractions_are_in_lowest_terms_with_a_positive_denominator) {
  const Rational r = Rational::fraction(6, -4);
  BOOST_TEST((r.num() == -3 && r.den() == 2));
  BOOST_TEST((Rational::fraction(0, -7).den() == 1));
}

BOOST_AUTO_TEST_CASE(division_by_zero_is_an_error) {
  BOOST_CHECK_THROW(Rational(1) / Rational(0), std::domain_error);
  BOOST_CHECK_THROW(Rational::fraction(1, 0), std::domain_error);
}

BOOST_AUTO_TEST_CASE(overflow_is_an_error_and_never_a_wrong_number) {
  const Rational huge = dec("1e18") * dec("1e18");  // 10^36; 128 bits hold 1.7 * 10^38
  BOOST_CHECK_THROW(huge * huge, std::overflow_error);
  BOOST_CHECK_THROW(huge * Rational(1000) + Rational::fraction(1, 3), std::overflow_error);
  BOOST_CHECK_THROW(static_cast<void>(huge < Rational::fraction(1, 1000)), std::overflow_error);
  BOOST_CHECK_THROW(huge.to_int64(), std::overflow_error);
  BOOST_CHECK_THROW(huge.round_half_up(), std::overflow_error);
}

BOOST_AUTO_TEST_CASE(only_integers_become_integers) {
  BOOST_TEST(dec("256").to_int64() == 256);
  BOOST_CHECK_THROW(dec("0.5").to_int64(), std::domain_error);
}

BOOST_AUTO_TEST_CASE(numbers_print_as_their_shortest_decimal) {
  BOOST_TEST(dec("0.10").str() == "0.1");
  BOOST_TEST(dec("256.000").str() == "256");
  BOOST_TEST(dec("-0.0625").str() == "-0.0625");
  BOOST_TEST((Rational(1) / Rational(3)).str() == "1/3");
  BOOST_TEST((Rational(-2) / Rational(3)).str() == "-2/3");
  BOOST_TEST(Rational(0).str() == "0");
}

BOOST_AUTO_TEST_CASE(rounding_is_to_the_nearest_and_halves_go_up) {
  BOOST_TEST(dec("0.4999").round_half_up() == 0u);
  BOOST_TEST(dec("0.5").round_half_up() == 1u);
  BOOST_TEST(dec("1.5").round_half_up() == 2u);
  BOOST_TEST(dec("2.5").round_half_up() == 3u);  // not to even
  BOOST_TEST(dec("2.4999").round_half_up() == 2u);
  BOOST_CHECK_THROW(dec("-0.1").round_half_up(), std::overflow_error);
  const Rational largest = Rational(INT64_MAX) * Rational(2) + Rational(1);  // 2^64 - 1
  BOOST_TEST(largest.round_half_up() == UINT64_MAX);
  BOOST_CHECK_THROW((largest + dec("0.5")).round_half_up(), std::overflow_error);
}

BOOST_AUTO_TEST_CASE(a_transfer_takes_bytes_over_bandwidth) {
  BOOST_TEST(transfer_fs(256, dec("256")) == fs_per_ns);     // 256 B / 256 B per ns = 1 ns
  BOOST_TEST(transfer_fs(256, dec("64")) == 4 * fs_per_ns);  // 4 ns
  BOOST_TEST(transfer_fs(1, dec("3")) == 333'333u);          // 333333.33 fs
  BOOST_TEST(transfer_fs(2, dec("3")) == 666'667u);          // 666666.67 fs
  BOOST_TEST(transfer_fs(256, dec("0")) == 0u);              // unlimited
  BOOST_TEST(transfer_fs(0, dec("64")) == 0u);
}

BOOST_AUTO_TEST_CASE(cycles_take_their_number_over_the_clock) {
  BOOST_TEST(cycles_to_fs(16, dec("1")) == 16 * fs_per_ns);
  BOOST_TEST(cycles_to_fs(3, dec("1.5")) == 2 * fs_per_ns);
  BOOST_TEST(cycles_to_fs(1, dec("3")) == 333'333u);
}

BOOST_AUTO_TEST_CASE(instants_print_in_nanoseconds_without_trailing_zeros) {
  BOOST_TEST(format_ns(12'345'678) == "12.345678 ns");
  BOOST_TEST(format_ns(5 * fs_per_ns) == "5 ns");
  BOOST_TEST(format_ns(1) == "0.000001 ns");
  BOOST_TEST(format_ns(0) == "0 ns");
}

RC_BOOST_PROP(a_number_reads_back_as_it_prints, ()) {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(-999'999'999'999, 999'999'999'999);
  const auto exponent = *rc::gen::inRange(-6, 4);
  const Rational r = Rational::parse(std::to_string(mantissa) + "e" + std::to_string(exponent));
  RC_ASSERT(Rational::parse(r.str()) == r);
}

RC_BOOST_PROP(addition_and_multiplication_are_exact, ()) {
  const Rational a = any_fraction();
  const Rational b = any_fraction();
  const Rational c = Rational::fraction(*rc::gen::inRange(-1000, 1000), *rc::gen::inRange(1, 1000));
  RC_ASSERT((a + b) - b == a);
  RC_ASSERT(a + b == b + a);
  RC_ASSERT(a * b == b * a);
  RC_ASSERT((a + b) * c == a * c + b * c);
  if (!b.is_zero()) RC_ASSERT((a / b) * b == a);
}

RC_BOOST_PROP(order_is_that_of_the_differences, ()) {
  const Rational a = any_fraction();
  const Rational b = any_fraction();
  RC_ASSERT((a < b) == ((a - b).num() < 0));
  RC_ASSERT((a < b) + (b < a) + (a == b) == 1);
}

RC_BOOST_PROP(rounding_errs_by_at_most_a_half, ()) {
  const Rational r = Rational::fraction(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000),
                                        *rc::gen::inRange<std::int64_t>(1, 1'000));
  const Rational error = Rational(static_cast<std::int64_t>(r.round_half_up())) - r;
  RC_ASSERT(error <= Rational::fraction(1, 2));
  RC_ASSERT(error > Rational::fraction(-1, 2));
}

BOOST_AUTO_TEST_SUITE_END()
