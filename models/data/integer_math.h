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
#include <string>

#include "models/base/dtype.h"
#include "models/base/errors.h"
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

// Functions of the rows of models/base/math_op.def, bound by their names. |x|, |y|, |z| <= 2^32.
namespace integer_math {

using Integer = std::int64_t;

inline Integer abs(Integer x) { return x < 0 ? -x : x; }
inline Integer relu(Integer x) { return std::max<Integer>(x, 0); }
inline Integer floor(Integer x) { return x; }
inline Integer ceil(Integer x) { return x; }
inline Integer rint(Integer x) { return x; }
inline Integer trunc(Integer x) { return x; }
inline Integer logical_not(Integer x) { return x == 0 ? 1 : 0; }
inline Integer bitwise_not(Integer x) { return ~x; }

inline Integer add(Integer x, Integer y) { return x + y; }
inline Integer sub(Integer x, Integer y) { return x - y; }
// Modulo 2^64, of which a result modulo 2^32 is the low half.
inline Integer mul(Integer x, Integer y) {
  return static_cast<Integer>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}
inline Integer maximum(Integer x, Integer y) { return std::max(x, y); }
inline Integer minimum(Integer x, Integer y) { return std::min(x, y); }
inline Integer mod(Integer x, Integer y) { return y == 0 ? x : x % y; }
inline Integer idiv(Integer x, Integer y) { return y == 0 ? -1 : x / y; }
inline Integer eq(Integer x, Integer y) { return x == y ? 1 : 0; }
inline Integer ne(Integer x, Integer y) { return x != y ? 1 : 0; }
inline Integer lt(Integer x, Integer y) { return x < y ? 1 : 0; }
inline Integer le(Integer x, Integer y) { return x <= y ? 1 : 0; }
inline Integer gt(Integer x, Integer y) { return x > y ? 1 : 0; }
inline Integer ge(Integer x, Integer y) { return x >= y ? 1 : 0; }
inline Integer logical_and(Integer x, Integer y) { return x != 0 && y != 0 ? 1 : 0; }
inline Integer logical_or(Integer x, Integer y) { return x != 0 || y != 0 ? 1 : 0; }
inline Integer bitwise_and(Integer x, Integer y) { return x & y; }
inline Integer bitwise_or(Integer x, Integer y) { return x | y; }
inline Integer bitwise_xor(Integer x, Integer y) { return x ^ y; }
inline Integer shl(Integer x, Integer by) {
  return by < 0 || by > 63 ? 0 : static_cast<Integer>(static_cast<std::uint64_t>(x) << by);
}
inline Integer shr(Integer x, Integer by) { return x >> (by < 0 || by > 63 ? 63 : by); }

inline Integer fma(Integer x, Integer y, Integer z) {
  return static_cast<Integer>(static_cast<std::uint64_t>(mul(x, y)) +
                              static_cast<std::uint64_t>(z));
}
inline Integer clamp(Integer x, Integer low, Integer high) {
  return std::min(std::max(x, low), high);
}
inline Integer where(Integer condition, Integer x, Integer y) { return condition != 0 ? x : y; }

}  // namespace integer_math

// Result before wrapping; unused operands may have any value. Requires has_integer_form(op).
inline std::int64_t integer_result(MathOp op, std::int64_t x, std::int64_t y, std::int64_t z) {
  switch (op) {
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, cycles, integers, result) RETURN_##result(name, operands)
#define RETURN_fraction(name, operands)
#define RETURN_mask RETURN_number
#define RETURN_number(name, operands) \
  case MathOp::name:                  \
    return integer_math::name(OPERANDS_##operands);
#include "models/base/math_op.def"
#undef RETURN_fraction
#undef RETURN_mask
#undef RETURN_number
    default:
      throw ModelError(std::string(name_of(op)) + " has no integer form");
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
