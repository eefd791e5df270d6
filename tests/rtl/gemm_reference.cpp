#include "tests/rtl/gemm_reference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kernbench::test {
namespace {

std::uint32_t element_i8(const GemmTile& t, std::size_t row, std::size_t column) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < t.k; ++i) {
    sum += std::int64_t{static_cast<std::int16_t>(t.a[row * t.k + i])} *
           std::int64_t{static_cast<std::int16_t>(t.b[i * t.n + column])};
  }
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t element_f16(const GemmTile& t, std::size_t row, std::size_t column) {
  float sum = 0;
  for (std::size_t i = 0; i < t.k; ++i) {
    const float product = f16_value(t.a[row * t.k + i]) * f16_value(t.b[i * t.n + column]);
    sum += product;
  }
  return f32_bits(sum);
}

}  // namespace

std::vector<std::uint32_t> reference_product(const GemmTile& tile) {
  std::vector<std::uint32_t> product;
  for (std::size_t row = 0; row < tile.m; ++row) {
    for (std::size_t column = 0; column < tile.n; ++column)
      product.push_back(tile.dtype == GemmDType::i8 ? element_i8(tile, row, column)
                                                    : element_f16(tile, row, column));
  }
  return product;
}

float f16_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const auto mantissa = static_cast<float>(bits & 1023);
  const float sign = (bits & 0x8000) == 0 ? 1.0F : -1.0F;
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint32_t f32_bits(float value) {
  if (std::isnan(value)) return 0x7fc00000;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float f32_value(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace kernbench::test
