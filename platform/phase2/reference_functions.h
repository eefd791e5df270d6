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
#include <optional>

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

// Operations that are the same in doubles and in integers; none for others.
template <class Number>
std::optional<Number> reference_in_any_numbers(MathOp op, Number x, Number y, Number z) {
  switch (op) {
    case MathOp::add:
      return x + y;
    case MathOp::sub:
      return x - y;
    case MathOp::mul:
      return x * y;
    case MathOp::relu:
      return x < 0 ? Number{0} : x;
    case MathOp::where:
      return x != 0 ? y : z;
    case MathOp::eq:
      return Number(x == y);
    case MathOp::ne:
      return Number(x != y);
    case MathOp::lt:
      return Number(x < y);
    case MathOp::le:
      return Number(x <= y);
    case MathOp::gt:
      return Number(x > y);
    case MathOp::ge:
      return Number(x >= y);
    case MathOp::logical_and:
      return Number(x != 0 && y != 0);
    case MathOp::logical_or:
      return Number(x != 0 || y != 0);
    case MathOp::logical_not:
      return Number(x == 0);
    default:
      return std::nullopt;
  }
}

// Computes in double precision, without rounding to a dtype. Unused operands may have any value.
inline double reference_function(MathOp op, double x, double y = 0, double z = 0) {
  const auto either_nan = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (const auto result = reference_in_any_numbers(op, x, y, z)) return *result;
  switch (op) {
    case MathOp::exp:
      return std::exp(x);
    case MathOp::log:
      return std::log(x);
    case MathOp::sqrt:
      return std::sqrt(x);
    case MathOp::rsqrt:
      return 1 / std::sqrt(x);
    case MathOp::abs:
      return std::fabs(x);
    case MathOp::sigmoid:
      return 1 / (1 + std::exp(-x));
    case MathOp::cos:
      return std::cos(x);
    case MathOp::sin:
      return std::sin(x);
    case MathOp::tanh:
      return std::tanh(x);
    case MathOp::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));  // x (1 + erf(x / sqrt 2)) / 2
    case MathOp::silu:
      return x / (1 + std::exp(-x));
    case MathOp::exp2:
      return std::exp2(x);
    case MathOp::log2:
      return std::log2(x);
    case MathOp::erf:
      return std::erf(x);
    case MathOp::asin:
      return std::asin(x);
    case MathOp::acos:
      return std::acos(x);
    case MathOp::atan:
      return std::atan(x);
    case MathOp::log1p:
      return std::log1p(x);
    case MathOp::expm1:
      return std::expm1(x);
    case MathOp::atan2:
      return std::atan2(x, y);
    case MathOp::pow:
      return std::pow(x, y);
    case MathOp::floor:
      return std::floor(x);
    case MathOp::ceil:
      return std::ceil(x);
    case MathOp::rint:
      return std::nearbyint(x);
    case MathOp::trunc:
      return std::trunc(x);
    case MathOp::mod:
      return std::fmod(x, y);
    case MathOp::div:
      return x / y;
    case MathOp::maximum:
      return either_nan(x, y) ? nan : std::fmax(x, y);
    case MathOp::minimum:
      return either_nan(x, y) ? nan : std::fmin(x, y);
    case MathOp::fma:
      return std::fma(x, y, z);
    case MathOp::clamp:
      return reference_function(MathOp::minimum, reference_function(MathOp::maximum, x, y), z);
    default:
      throw ModelError(fmt::format("'{}' is not element-wise", name_of(op)));
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
// the dividend as the remainder. A shift by less than 0, or by the width or more, shifts everything
// out. Operands are integers of at most 40 bits.
inline double reference_integer(MathOp op, DType dtype, double first, double second = 0,
                                double third = 0) {
  const auto wide = [](double value) {
    return static_cast<WideInteger>(std::clamp(value, -0x1p40, 0x1p40));
  };
  const auto quotient = [](WideInteger x, WideInteger y) {
    const WideInteger magnitude = (x < 0 ? -x : x) / (y < 0 ? -y : y);
    return (x < 0) == (y < 0) ? magnitude : -magnitude;
  };
  const auto floor_of = [](WideInteger x, WideInteger positive) {
    return x >= 0 ? x / positive : -((-x + positive - 1) / positive);
  };
  const WideInteger x = wide(first), y = wide(second), z = wide(third);
  const bool within =
      y >= 0 && y < static_cast<WideInteger>(8 * size_of(dtype));  // shift within the width
  const auto exact = [&]() -> WideInteger {
    if (const auto result = reference_in_any_numbers(op, x, y, z)) return *result;
    switch (op) {
      case MathOp::fma:
        return x * y + z;
      case MathOp::abs:
        return x < 0 ? -x : x;
      case MathOp::maximum:
        return std::max(x, y);
      case MathOp::minimum:
        return std::min(x, y);
      case MathOp::clamp:
        return std::min(std::max(x, y), z);
      case MathOp::idiv:
        return y == 0 ? -1 : quotient(x, y);
      case MathOp::mod:
        return y == 0 ? x : x - quotient(x, y) * y;
      case MathOp::bitwise_and:
        return x & y;
      case MathOp::bitwise_or:
        return x | y;
      case MathOp::bitwise_xor:
        return x ^ y;
      case MathOp::bitwise_not:
        return -x - 1;
      case MathOp::shl:
        return within ? x * (WideInteger{1} << y) : 0;
      case MathOp::shr:
        return within ? floor_of(x, WideInteger{1} << y) : x < 0 ? -1 : 0;
      default:
        return x;  // floor, ceil, rint, trunc
    }
  };
  return reference_wrapped(exact(), dtype);
}

}  // namespace kernbench
