// Operators on handles: element-wise on PE_MATH, equivalent to tl.add etc. Comparisons return
// masks. `%` and `>>` of integers have the semantics of C; `~` of a mask is its negation. Masks are
// combined by `&` and `|`, as in Triton. `!`, `&&` and `||` are the C++ operators on the truth
// value of a block of one element, whose value must be known.
#pragma once

#include <type_traits>

#include "sw/tl/half.h"

namespace kernbench::tl {

class Handle;
class Operand;
class BlockArg;

template <class T>
using IfArithmetic = std::enable_if_t<std::is_arithmetic_v<T>>;

// Scalar operand, with its kind: floating-point or integer.
class Number {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  template <class T, class = IfArithmetic<T>>
  Number(T value) : value_(static_cast<double>(value)), floating_(std::is_floating_point_v<T>) {}
  Number(Half value) : Number(static_cast<float>(value)) {}
  // NOLINTEND(google-explicit-constructor)

  double value() const { return value_; }
  bool is_floating() const { return floating_; }

 private:
  double value_;
  bool floating_;
};

Handle operator+(const Handle& a, const Operand& b);
Handle operator-(const Handle& a, const Operand& b);
Handle operator*(const Handle& a, const Operand& b);
Handle operator/(const Handle& a, const Operand& b);
Handle operator%(const Handle& a, const Operand& b);
Handle operator<(const Handle& a, const Operand& b);
Handle operator<=(const Handle& a, const Operand& b);
Handle operator>(const Handle& a, const Operand& b);
Handle operator>=(const Handle& a, const Operand& b);
Handle operator==(const Handle& a, const Operand& b);
Handle operator!=(const Handle& a, const Operand& b);
Handle operator&(const Handle& a, const Operand& b);
Handle operator|(const Handle& a, const Operand& b);
Handle operator^(const Handle& a, const Operand& b);
Handle operator<<(const Handle& a, const Operand& b);
Handle operator>>(const Handle& a, const Operand& b);

Handle operator+(Number a, const BlockArg& b);
Handle operator-(Number a, const BlockArg& b);
Handle operator*(Number a, const BlockArg& b);
Handle operator/(Number a, const BlockArg& b);
Handle operator%(Number a, const BlockArg& b);
Handle operator<(Number a, const BlockArg& b);
Handle operator<=(Number a, const BlockArg& b);
Handle operator>(Number a, const BlockArg& b);
Handle operator>=(Number a, const BlockArg& b);
Handle operator==(Number a, const BlockArg& b);
Handle operator!=(Number a, const BlockArg& b);
Handle operator&(Number a, const BlockArg& b);
Handle operator|(Number a, const BlockArg& b);
Handle operator^(Number a, const BlockArg& b);
Handle operator<<(Number a, const BlockArg& b);
Handle operator>>(Number a, const BlockArg& b);

Handle operator-(const BlockArg& x);
Handle operator~(const BlockArg& x);  // tl.bitwise_not

}  // namespace kernbench::tl
