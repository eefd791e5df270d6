// Rounding to nearest even by its definition, in double: the reference for the conversions of the
// program.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/dtype.h"

namespace kernbench::test {

// To the format with `exponent_bits` and `mantissa_bits`: the quantum of |value| in the format,
// then nearbyint.
inline double rounded(double value, int exponent_bits, int mantissa_bits) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, mantissa_bits - exponent)),
                                   exponent - mantissa_bits);
  return std::fabs(result) >= std::ldexp(1.0, bias + 1)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : result;
}

// To an integer of `bits`: half to even, saturating, NaN is 0.
inline double rounded_to_integer(double value, int bits) {
  if (std::isnan(value)) return 0;
  const double end = std::ldexp(1.0, bits - 1);
  return std::clamp(std::nearbyint(value), -end, end - 1) + 0.0;  // no negative zero
}

inline double reference_rounding(DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return rounded(value, 5, 10);
    case DType::bf16:
      return rounded(value, 8, 7);
    case DType::f32:
      return rounded(value, 8, 23);
    case DType::i8:
      return rounded_to_integer(value, 8);
    case DType::i32:
      return rounded_to_integer(value, 32);
  }
  return value;
}

// The same value, NaN for NaN, and the same sign of a zero.
inline bool identical(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace kernbench::test
