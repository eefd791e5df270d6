#include "models/data/elements.h"

#include <cmath>
#include <limits>

namespace kernbench {
namespace {

// double -> float, rounding inexact results to an odd last digit, so that a second rounding to a
// shorter format is exact.
float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const std::uint32_t bits = float_bits(nearest);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest) ||
      (bits & 1u) != 0)
    return nearest;
  return float_from_bits(std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? bits - 1
                                                                                    : bits + 1);
}

template <class Int>
Int to_integer(double value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(value);
  if (rounded <= static_cast<double>(std::numeric_limits<Int>::min()))
    return std::numeric_limits<Int>::min();
  if (rounded >= static_cast<double>(std::numeric_limits<Int>::max()))
    return std::numeric_limits<Int>::max();
  return static_cast<Int>(rounded);
}

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write_as(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

double read_element(const std::byte* at, DType dtype) {
  switch (dtype) {
    case DType::f16:
      return f16_to_float(read_as<std::uint16_t>(at));
    case DType::bf16:
      return bf16_to_float(read_as<std::uint16_t>(at));
    case DType::f32:
      return read_as<float>(at);
    case DType::i8:
      return read_as<std::int8_t>(at);
    case DType::i32:
      return read_as<std::int32_t>(at);
  }
  return 0;
}

void write_element(std::byte* at, DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return write_as(at, float_to_f16(round_to_odd(value)));
    case DType::bf16:
      return write_as(at, float_to_bf16(round_to_odd(value)));
    case DType::f32:
      return write_as(at, static_cast<float>(value));
    case DType::i8:
      return write_as(at, to_integer<std::int8_t>(value));
    case DType::i32:
      return write_as(at, to_integer<std::int32_t>(value));
  }
}

double rounded_to(DType dtype, double value) {
  std::byte element[4];
  write_element(element, dtype, value);
  return read_element(element, dtype);
}

}  // namespace kernbench
