// Element-wise operations on integers: exact in 64 bits, then wrapped to a dtype
// (docs/decisions/operation-semantics.md). One meaning for phase 2 and for index blocks, whose
// values are known at issue.
//
// idiv and mod truncate towards zero, as C and Triton do; by 0 they return -1 and the dividend, as
// RISC-V does. A shift by a negative amount, or by the width or more, shifts everything out, as
// NumPy does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/dtype.h"
#include "models/base/math_op.h"
#include "models/data/data_op.h"

namespace kernbench {

// Whether the op is element-wise and integers produce an integer.
inline bool has_integer_form(MathOp op) {
  return kind_of(op) == MathKind::element_wise && !gives_fractions(op) && !is_random(op);
}

// Bits that an integer of `dtype` keeps of a result that overflows: two's complement.
inline std::int64_t wrapped(std::int64_t value, DType dtype) {
  return dtype == DType::i8 ? std::int64_t{static_cast<std::int8_t>(value)}
                            : std::int64_t{static_cast<std::int32_t>(value)};
}

inline std::int64_t shifted_left(std::int64_t x, std::int64_t by) {
  return by < 0 || by > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << by);
}
inline std::int64_t shifted_right(std::int64_t x, std::int64_t by) {
  return x >> (by < 0 || by > 63 ? 63 : by);
}

// Modulo 2^64, of which a result modulo 2^32 is the low half.
inline std::int64_t wrapping_product(std::int64_t x, std::int64_t y) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}

// Result before wrapping. |x|, |y|, |z| <= 2^32.
inline std::int64_t integer_result(MathOp op, std::int64_t x, std::int64_t y, std::int64_t z) {
  switch (op) {
    case MathOp::abs:
      return x < 0 ? -x : x;
    case MathOp::relu:
      return std::max<std::int64_t>(x, 0);
    case MathOp::logical_not:
      return x == 0 ? 1 : 0;
    case MathOp::bitwise_not:
      return ~x;
    case MathOp::add:
      return x + y;
    case MathOp::sub:
      return x - y;
    case MathOp::mul:
      return wrapping_product(x, y);
    case MathOp::maximum:
      return std::max(x, y);
    case MathOp::minimum:
      return std::min(x, y);
    case MathOp::mod:
      return y == 0 ? x : x % y;
    case MathOp::idiv:
      return y == 0 ? -1 : x / y;
    case MathOp::eq:
      return x == y ? 1 : 0;
    case MathOp::ne:
      return x != y ? 1 : 0;
    case MathOp::lt:
      return x < y ? 1 : 0;
    case MathOp::le:
      return x <= y ? 1 : 0;
    case MathOp::gt:
      return x > y ? 1 : 0;
    case MathOp::ge:
      return x >= y ? 1 : 0;
    case MathOp::logical_and:
      return x != 0 && y != 0 ? 1 : 0;
    case MathOp::logical_or:
      return x != 0 || y != 0 ? 1 : 0;
    case MathOp::bitwise_and:
      return x & y;
    case MathOp::bitwise_or:
      return x | y;
    case MathOp::bitwise_xor:
      return x ^ y;
    case MathOp::shl:
      return shifted_left(x, y);
    case MathOp::shr:
      return shifted_right(x, y);
    case MathOp::fma:
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(wrapping_product(x, y)) +
                                       static_cast<std::uint64_t>(z));
    case MathOp::clamp:
      return std::min(std::max(x, y), z);
    case MathOp::where:
      return x != 0 ? y : z;
    default:
      return x;  // floor, ceil, rint, trunc
  }
}

// Immediates of integer arithmetic have 32 bits, signed or unsigned, for every operation: the
// result is exact in 64 bits and wrapped to the dtype (docs/decisions/operation-semantics.md).
inline constexpr double smallest_integer_immediate = -0x1p31,
                        largest_integer_immediate = 0x1p32 - 1;
inline bool has_32_bits(double immediate) {
  return immediate >= smallest_integer_immediate && immediate <= largest_integer_immediate;
}

// Whether an immediate makes the arithmetic f32. A comparison with a whole number has the same
// result in integers, where it is exact.
inline bool makes_f32(MathOp op, const MathOperand& operand) {
  if (operand.input >= 0 || !operand.floating || takes_integers_only(op)) return false;
  return !(gives_mask(op) && is_integral(operand.immediate) && has_32_bits(operand.immediate));
}

}  // namespace kernbench
