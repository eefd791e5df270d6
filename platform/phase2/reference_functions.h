// Reference of the functions of PE_MATH on single values, and of rounding: by their definitions, in
// double precision and in exact integers.
//
// `--verify-data=ops` and the tests use the same reference. It shares nothing with the code under
// test: tests/layering restricts the includes of reference_*.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "models/base/dtype.h"
#include "models/base/errors.h"
#include "models/base/math_op.h"

namespace kernbench {

// --- Rounding to nearest even

// Rounds to a format of so many bits: the quantum of |value| in the format, then nearbyint.
inline double rounded_to_format(double value, int exponent_bits, int mantissa_bits) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, mantissa_bits - exponent)),
                                   exponent - mantissa_bits);
  return std::fabs(result) >= std::ldexp(1.0, bias + 1)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : result;
}

// Rounds to an integer of `bits`: half to even, saturating, NaN is 0.
inline double rounded_to_integer(double value, int bits) {
  if (std::isnan(value)) return 0;
  const double end = std::ldexp(1.0, bits - 1);
  return std::clamp(std::nearbyint(value), -end, end - 1) + 0.0;  // no negative zero
}

inline double reference_rounding(DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return rounded_to_format(value, 5, 10);
    case DType::bf16:
      return rounded_to_format(value, 8, 7);
    case DType::f32:
      return rounded_to_format(value, 8, 23);
    case DType::i8:
      return rounded_to_integer(value, 8);
    case DType::i32:
      return rounded_to_integer(value, 32);
  }
  return value;
}

// True for equal values, NaN for NaN, with the same sign of a zero.
inline bool identical(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// --- Element-wise functions

using WideInteger = __int128;  // holds every product of two i32 plus a sum

// Bound to the rows of models/base/math_op.def by their names, below: functions of doubles, of
// integers (of at most 40 bits), or of both.
namespace reference_functions {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline bool either_nan(double x, double y) { return std::isnan(x) || std::isnan(y); }

// --- One operand

inline double exp(double x) { return std::exp(x); }
inline double log(double x) { return std::log(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double cos(double x) { return std::cos(x); }
inline double sin(double x) { return std::sin(x); }
inline double tanh(double x) { return std::tanh(x); }
inline double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));  // x (1 + erf(x / sqrt 2)) / 2
}
inline double silu(double x) { return x / (1 + std::exp(-x)); }
inline double exp2(double x) { return std::exp2(x); }
inline double log2(double x) { return std::log2(x); }
inline double erf(double x) { return std::erf(x); }
inline double asin(double x) { return std::asin(x); }
inline double acos(double x) { return std::acos(x); }
inline double atan(double x) { return std::atan(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double abs(double x) { return std::fabs(x); }
inline WideInteger abs(WideInteger x) { return x < 0 ? -x : x; }
inline double floor(double x) { return std::floor(x); }
inline WideInteger floor(WideInteger x) { return x; }
inline double ceil(double x) { return std::ceil(x); }
inline WideInteger ceil(WideInteger x) { return x; }
inline double rint(double x) { return std::nearbyint(x); }
inline WideInteger rint(WideInteger x) { return x; }
inline double trunc(double x) { return std::trunc(x); }
inline WideInteger trunc(WideInteger x) { return x; }
inline constexpr auto relu = [](auto x) { return x < 0 ? decltype(x){0} : x; };
inline constexpr auto logical_not = [](auto x) { return x == 0; };
inline WideInteger bitwise_not(WideInteger x) { return -x - 1; }

// --- Two operands

inline constexpr auto add = [](auto x, auto y) { return x + y; };
inline constexpr auto sub = [](auto x, auto y) { return x - y; };
inline constexpr auto mul = [](auto x, auto y) { return x * y; };
inline double div(double x, double y) { return x / y; }
inline double maximum(double x, double y) { return either_nan(x, y) ? nan : std::fmax(x, y); }
inline WideInteger maximum(WideInteger x, WideInteger y) { return std::max(x, y); }
inline double minimum(double x, double y) { return either_nan(x, y) ? nan : std::fmin(x, y); }
inline WideInteger minimum(WideInteger x, WideInteger y) { return std::min(x, y); }
inline double atan2(double y, double x) { return std::atan2(y, x); }
inline double pow(double x, double y) { return std::pow(x, y); }
inline WideInteger idiv(WideInteger x, WideInteger y) {
  if (y == 0) return -1;
  const WideInteger magnitude = (x < 0 ? -x : x) / (y < 0 ? -y : y);
  return (x < 0) == (y < 0) ? magnitude : -magnitude;
}
inline double mod(double x, double y) { return std::fmod(x, y); }
inline WideInteger mod(WideInteger x, WideInteger y) { return y == 0 ? x : x - idiv(x, y) * y; }
inline constexpr auto eq = [](auto x, auto y) { return x == y; };
inline constexpr auto ne = [](auto x, auto y) { return x != y; };
inline constexpr auto lt = [](auto x, auto y) { return x < y; };
inline constexpr auto le = [](auto x, auto y) { return x <= y; };
inline constexpr auto gt = [](auto x, auto y) { return x > y; };
inline constexpr auto ge = [](auto x, auto y) { return x >= y; };
inline constexpr auto logical_and = [](auto x, auto y) { return x != 0 && y != 0; };
inline constexpr auto logical_or = [](auto x, auto y) { return x != 0 || y != 0; };
inline WideInteger bitwise_and(WideInteger x, WideInteger y) { return x & y; }
inline WideInteger bitwise_or(WideInteger x, WideInteger y) { return x | y; }
inline WideInteger bitwise_xor(WideInteger x, WideInteger y) { return x ^ y; }
// A shift by less than 0, or by more bits than there are, shifts everything out.
inline bool leaves_bits(WideInteger by) { return by >= 0 && by <= 40; }
inline WideInteger shl(WideInteger x, WideInteger by) {
  return leaves_bits(by) ? x * (WideInteger{1} << by) : 0;
}
inline WideInteger shr(WideInteger x, WideInteger by) {
  if (!leaves_bits(by)) return x < 0 ? -1 : 0;
  const WideInteger divisor = WideInteger{1} << by;
  return x >= 0 ? x / divisor : -((-x + divisor - 1) / divisor);  // downwards
}

// --- Three operands

inline double fma(double x, double y, double z) { return std::fma(x, y, z); }
inline WideInteger fma(WideInteger x, WideInteger y, WideInteger z) { return x * y + z; }
inline constexpr auto clamp = [](auto x, auto low, auto high) {
  return minimum(maximum(x, low), high);
};
inline constexpr auto where = [](auto condition, auto x, auto y) { return condition != 0 ? x : y; };

// Returns the result; refuses that of a function of the other kind of number, whose operands would
// be converted.
template <class Number, class Result>
Number exactly(Result result) {
  static_assert(std::is_same_v<Result, Number> || std::is_same_v<Result, bool>);
  return result;
}

}  // namespace reference_functions

// Computes in double precision, without rounding to a dtype. Unused operands may have any value.
inline double reference_function(MathOp op, double x, double y = 0, double z = 0) {
  using reference_functions::exactly;
  switch (op) {
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, cycles, integers, result) RETURN_##integers(name, operands)
#define RETURN_only(name, operands)
#define RETURN_allowed(name, operands) \
  case MathOp::name:                   \
    return exactly<double>(reference_functions::name(OPERANDS_##operands));
#include "models/base/math_op.def"
#undef RETURN_only
#undef RETURN_allowed
    default:
      throw ModelError(fmt::format("'{}' has no function of floats", name_of(op)));
  }
}

// The same in integers, not wrapped to a dtype.
inline WideInteger exact_reference(MathOp op, WideInteger x, WideInteger y, WideInteger z) {
  using reference_functions::exactly;
  switch (op) {
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, cycles, integers, result) RETURN_##result(name, operands)
#define RETURN_fraction(name, operands)
#define RETURN_mask RETURN_number
#define RETURN_number(name, operands) \
  case MathOp::name:                  \
    return exactly<WideInteger>(reference_functions::name(OPERANDS_##operands));
#include "models/base/math_op.def"
#undef RETURN_fraction
#undef RETURN_mask
#undef RETURN_number
    default:
      throw ModelError(fmt::format("'{}' has no integer form", name_of(op)));
  }
}

// Two's complement of 8 or 32 bits.
inline double reference_wrapped(WideInteger value, DType dtype) {
  const WideInteger modulus = WideInteger{1} << (8 * size_of(dtype));
  WideInteger rest = value % modulus;
  if (rest < 0) rest += modulus;
  return static_cast<double>(rest < modulus / 2 ? rest : rest - modulus);
}

// Computes in integers, wrapped to `dtype`. Quotients truncate towards zero; by 0 they are -1, with
// the dividend as the remainder. Operands are integers of at most 40 bits.
inline double reference_integer(MathOp op, DType dtype, double x, double y = 0, double z = 0) {
  const auto wide = [](double value) {
    return static_cast<WideInteger>(std::clamp(value, -0x1p40, 0x1p40));
  };
  return reference_wrapped(exact_reference(op, wide(x), wide(y), wide(z)), dtype);
}

}  // namespace kernbench
