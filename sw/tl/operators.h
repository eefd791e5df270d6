// Operators on handles: element-wise on PE_MATH, like tl.add and the like. Comparisons give masks.
// `%` and `>>` of integers are those of C; `~` of a mask is its negation. Masks are joined by `&`
// and `|`, as in Triton: `!`, `&&` and `||` are those of C++, on the truth of a block of one
// element, whose value has to be known.
#pragma once

namespace kernbench::tl {

class Handle;
class Operand;
class BlockArg;

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

Handle operator+(double a, const BlockArg& b);
Handle operator-(double a, const BlockArg& b);
Handle operator*(double a, const BlockArg& b);
Handle operator/(double a, const BlockArg& b);
Handle operator%(double a, const BlockArg& b);
Handle operator<(double a, const BlockArg& b);
Handle operator<=(double a, const BlockArg& b);
Handle operator>(double a, const BlockArg& b);
Handle operator>=(double a, const BlockArg& b);
Handle operator==(double a, const BlockArg& b);
Handle operator!=(double a, const BlockArg& b);
Handle operator&(double a, const BlockArg& b);
Handle operator|(double a, const BlockArg& b);
Handle operator^(double a, const BlockArg& b);
Handle operator<<(double a, const BlockArg& b);
Handle operator>>(double a, const BlockArg& b);

Handle operator-(const BlockArg& x);
Handle operator~(const BlockArg& x);  // tl.bitwise_not

}  // namespace kernbench::tl
