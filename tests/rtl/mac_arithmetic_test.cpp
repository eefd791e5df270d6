// Arithmetic of a cell of the systolic array against that of the host, which is IEEE 754 as well.
#include "models/rtl/verilator_runtime.h"
// The runtime comes first.
#include <Vmac_probe.h>
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "tests/rtl/gemm_reference.h"

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(mac_arithmetic_test)

namespace {

class Probe {
 public:
  std::uint32_t sum(std::uint32_t x, std::uint32_t y) {
    model_.x = x;
    model_.y = y;
    model_.eval();
    return model_.sum;
  }
  std::uint32_t product(std::uint16_t a, std::uint16_t b) {
    model_.a = a;
    model_.b = b;
    model_.eval();
    return model_.product;
  }

 private:
  VerilatedContext context_;
  Vmac_probe model_{&context_};
};

std::string hex(std::uint32_t bits) { return fmt::format("{:08x}", bits); }

// The exponents of the two are close in half of the samples, so that sums cancel and round.
std::pair<std::uint32_t, std::uint32_t> two_floats(std::mt19937& random) {
  const std::uint32_t x = random();
  std::uint32_t y = random();
  if (random() % 2 == 0) {
    const std::uint32_t distance = random() % 32 << 23;
    y = (y & 0x807fffff) | (((x & 0x7f800000) + distance - (16U << 23)) & 0x7f800000);
  }
  if (random() % 4 == 0) y = (y & 0xff800000) | (x & 0x007fffff) >> random() % 24;
  return {x, y};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sum_is_rounded_to_nearest_even) {
  Probe probe;
  std::mt19937 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const auto [x, y] = two_floats(random);
    const std::uint32_t expected = f32_bits(f32_value(x) + f32_value(y)), sum = probe.sum(x, y);
    if (sum != expected)
      BOOST_ERROR(hex(x) + " + " + hex(y) + " = " + hex(sum) + ", is " + hex(expected));
  }
}

BOOST_AUTO_TEST_CASE(sums_of_special_values_are_those_of_ieee_754) {
  Probe probe;
  // Zeros, the ends of the subnormal and the normal numbers, ones, infinities, NaNs.
  const std::vector<std::uint32_t> magnitudes{
      0,          1,          2,          0x7fffff,   0x800000,   0x800001,   0xffffff,
      0x1000000,  0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b800000, 0x7effffff, 0x7f000000,
      0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
  for (const std::uint32_t x : magnitudes) {
    for (const std::uint32_t y : magnitudes) {
      for (const std::uint32_t signs : {0U, 1U, 2U, 3U}) {
        const std::uint32_t p = x | (signs & 1) << 31, q = y | (signs & 2) << 30;
        BOOST_TEST(hex(probe.sum(p, q)) == hex(f32_bits(f32_value(p) + f32_value(q))),
                   hex(p) << " + " << hex(q) << " = " << hex(probe.sum(p, q)));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_product_is_exact) {
  Probe probe;
  std::mt19937 random(2);
  std::vector<std::uint16_t> against{0,      1,      2,      0x3ff,  0x400, 0x401,
                                     0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00};
  for (int i = 0; i < 20; ++i) against.push_back(static_cast<std::uint16_t>(random()));
  for (std::uint32_t a = 0; a < 0x10000; ++a) {
    for (const std::uint16_t b : against) {
      // 22 bits of significand: double and f32 hold the product, so that nothing is rounded here.
      const double exact = double{f16_value(static_cast<std::uint16_t>(a))} * double{f16_value(b)};
      const std::uint32_t expected = f32_bits(static_cast<float>(exact));
      const std::uint32_t product = probe.product(static_cast<std::uint16_t>(a), b);
      if (product != expected)
        BOOST_ERROR(hex(a) + " * " + hex(b) + " = " + hex(product) + ", is " + hex(expected));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
