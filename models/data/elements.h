// Elements in memory: the bit patterns of f16, bf16, f32, i8, i32 (little endian) and their
// conversions.
//
// Conversions to a narrower float round to nearest even, once, also from double. To an integer they
// round to nearest even and saturate; NaN becomes 0.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/base/dtype.h"

namespace kernbench {

inline std::uint32_t float_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float bf16_to_float(std::uint16_t bits) {
  return float_from_bits(std::uint32_t{bits} << 16);
}

// Returns `yes` if the condition holds. Uses masks, not branches, so that loops over arrays
// vectorise.
inline std::uint32_t select_bits(bool condition, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

inline std::uint16_t float_to_bf16(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<std::uint16_t>(select_bits((bits & 0x7fffffffu) > 0x7f800000u,
                                                (bits >> 16) | 0x40u, rounded));  // NaN stays NaN
}

// The float unit normalises and rounds, after the method of the FP16 library (M. Dukhan).
inline float f16_to_float(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  const std::uint32_t shifted = wide + wide;
  const float normal = float_from_bits((shifted >> 4) + (0xe0u << 23)) * 0x1.0p-112f;
  const float subnormal = float_from_bits((shifted >> 17) | (126u << 23)) - 0.5f;
  return float_from_bits(
      (wide & 0x80000000u) |
      select_bits(shifted < (1u << 27), float_bits(subnormal), float_bits(normal)));
}

inline std::uint16_t float_to_f16(float value) {
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t shifted = bits + bits, exponent = shifted & 0xff000000u;
  const std::uint32_t base =
      (select_bits(exponent < 0x71000000u, 0x71000000u, exponent) >> 1) + 0x07800000u;
  // Adding a power of two just above the kept digits makes the addition round at the right place.
  const float magnitude = float_from_bits(bits & 0x7fffffffu) * 0x1.0p+112f * 0x1.0p-110f;
  const std::uint32_t sum = float_bits(float_from_bits(base) + magnitude);
  const std::uint32_t finite = ((sum >> 13) & 0x7c00u) + (sum & 0x0fffu);
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) |
                                    select_bits(shifted > 0xff000000u, 0x7e00u, finite));
}

// One element, any dtype. `at` need not be aligned.
double read_element(const std::byte* at, DType dtype);
void write_element(std::byte* at, DType dtype, double value);
// Value that `dtype` holds after storing `value`.
double rounded_to(DType dtype, double value);

}  // namespace kernbench
