// Bit patterns of the element types and their rounding. Reference for f16 and bf16: exact
// arithmetic in double on the definition.
#include "models/data/elements.h"

#include <rapidcheck.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "platform/phase2/reference_functions.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(elements_test)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double quiet_nan = std::nan("");

// The value of a format with `exponent_bits` and `mantissa_bits`, from its definition.
double decoded(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1),
                      exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits)) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1u << exponent_bits) - 1) return mantissa == 0 ? sign * infinity : quiet_nan;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1u << mantissa_bits) + mantissa,
                           static_cast<int>(exponent) - bias - mantissa_bits);
}

template <class T>
T element_as(DType dtype, double value) {
  std::byte bytes[4] = {};
  write_element(bytes, dtype, value);
  T result;
  std::memcpy(&result, bytes, sizeof result);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_f16_and_bf16_decodes_by_definition_and_encodes_back) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const float half = f16_to_float(pattern), brain = bf16_to_float(pattern);
    BOOST_REQUIRE(identical(half, decoded(bits, 5, 10)));
    BOOST_REQUIRE(identical(brain, decoded(bits, 8, 7)));
    if (!std::isnan(half)) BOOST_REQUIRE(float_to_f16(half) == pattern);
    if (!std::isnan(brain)) BOOST_REQUIRE(float_to_bf16(brain) == pattern);
  }
}

BOOST_AUTO_TEST_CASE(ties_go_to_the_even_neighbour) {
  // Between each pair of neighbours: the middle is a tie, and one float below or above it is not.
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = f16_to_float(static_cast<std::uint16_t>(bits));
    const float high =
        bits + 1 == 0x7c00 ? 65536.0f : f16_to_float(static_cast<std::uint16_t>(bits + 1));
    const float middle = (low + high) / 2;
    BOOST_REQUIRE(float_to_f16(middle) == bits + (bits & 1));
    BOOST_REQUIRE(float_to_f16(std::nextafter(middle, 0.0f)) == bits);
    BOOST_REQUIRE(float_to_f16(std::nextafter(middle, 1e9f)) == bits + 1);
    BOOST_REQUIRE(float_to_f16(-middle) == (0x8000 | (bits + (bits & 1))));
  }
  for (std::uint32_t bits = 0; bits < 0x7f7f; ++bits) {
    const std::uint32_t middle = (bits << 16) | 0x8000;
    BOOST_REQUIRE(float_to_bf16(float_from_bits(middle)) == bits + (bits & 1));
    BOOST_REQUIRE(float_to_bf16(float_from_bits(middle - 1)) == bits);
    BOOST_REQUIRE(float_to_bf16(float_from_bits(middle + 1)) == bits + 1);
  }
}

BOOST_AUTO_TEST_CASE(conversions_from_float_and_double_round_once) {
  BOOST_TEST(rc::check("against nearbyint on the format's quantum", [] {
    const double scale = std::ldexp(1.0, *rc::gen::inRange(-45, 45));
    const double value = static_cast<double>(*rc::gen::arbitrary<std::int64_t>()) * 0x1p-63 * scale;
    const auto single = static_cast<float>(value);
    RC_ASSERT(identical(f16_to_float(float_to_f16(single)), rounded_to_format(single, 5, 10)));
    RC_ASSERT(identical(bf16_to_float(float_to_bf16(single)), rounded_to_format(single, 8, 7)));
    RC_ASSERT(identical(rounded_to(DType::f16, value), rounded_to_format(value, 5, 10)));
    RC_ASSERT(identical(rounded_to(DType::bf16, value), rounded_to_format(value, 8, 7)));
    RC_ASSERT(identical(rounded_to(DType::f32, value), single));
  }));
}

BOOST_AUTO_TEST_CASE(a_double_just_above_a_tie_does_not_round_twice) {
  // 1 + 2^-11 is a tie of f16; f32 cannot hold the 2^-40 above it, so rounding through f32 would
  // give 1.
  BOOST_TEST(rounded_to(DType::f16, 1 + 0x1p-11) == 1.0);
  BOOST_TEST(rounded_to(DType::f16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);
  BOOST_TEST(rounded_to(DType::bf16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7);
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_survive) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    BOOST_TEST(std::isnan(rounded_to(dtype, quiet_nan)));
    BOOST_TEST(rounded_to(dtype, infinity) == infinity);
    BOOST_TEST(rounded_to(dtype, -infinity) == -infinity);
    BOOST_TEST(rounded_to(dtype, 1e300) == infinity);
  }
  BOOST_TEST(std::isnan(
      bf16_to_float(float_to_bf16(float_from_bits(0x7f800001)))));  // a payload below the kept bits
  BOOST_TEST(std::isnan(f16_to_float(float_to_f16(float_from_bits(0x7f800001)))));
}

BOOST_AUTO_TEST_CASE(integers_round_to_nearest_even_and_saturate) {
  BOOST_TEST(element_as<std::int8_t>(DType::i8, 2.5) == 2);
  BOOST_TEST(element_as<std::int8_t>(DType::i8, 3.5) == 4);
  BOOST_TEST(element_as<std::int8_t>(DType::i8, 200) == 127);
  BOOST_TEST(element_as<std::int8_t>(DType::i8, -200) == -128);
  BOOST_TEST(element_as<std::int8_t>(DType::i8, quiet_nan) == 0);
  BOOST_TEST(element_as<std::int32_t>(DType::i32, 1e12) ==
             std::numeric_limits<std::int32_t>::max());
  BOOST_TEST(element_as<std::int32_t>(DType::i32, -infinity) ==
             std::numeric_limits<std::int32_t>::min());
  BOOST_TEST(element_as<std::int32_t>(DType::i32, 16777217) == 16777217);
}

BOOST_AUTO_TEST_SUITE_END()
