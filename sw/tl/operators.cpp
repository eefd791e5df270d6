#include "sw/tl/operators.h"

#include "sw/tl/program.h"

namespace kernbench::tl {

Program& program_of(const Handle& handle) { return *handle.state().program; }

Handle operator+(const Handle& a, const Operand& b) { return program_of(a).add(a, b); }
Handle operator-(const Handle& a, const Operand& b) { return program_of(a).sub(a, b); }
Handle operator*(const Handle& a, const Operand& b) { return program_of(a).mul(a, b); }
Handle operator/(const Handle& a, const Operand& b) { return program_of(a).div(a, b); }
Handle operator%(const Handle& a, const Operand& b) { return program_of(a).mod(a, b); }
Handle operator<(const Handle& a, const Operand& b) { return program_of(a).lt(a, b); }
Handle operator<=(const Handle& a, const Operand& b) { return program_of(a).le(a, b); }
Handle operator>(const Handle& a, const Operand& b) { return program_of(a).gt(a, b); }
Handle operator>=(const Handle& a, const Operand& b) { return program_of(a).ge(a, b); }
Handle operator==(const Handle& a, const Operand& b) { return program_of(a).eq(a, b); }
Handle operator!=(const Handle& a, const Operand& b) { return program_of(a).ne(a, b); }
Handle operator&(const Handle& a, const Operand& b) { return program_of(a).bitwise_and(a, b); }
Handle operator|(const Handle& a, const Operand& b) { return program_of(a).bitwise_or(a, b); }
Handle operator^(const Handle& a, const Operand& b) { return program_of(a).bitwise_xor(a, b); }
Handle operator<<(const Handle& a, const Operand& b) { return program_of(a).shl(a, b); }
Handle operator>>(const Handle& a, const Operand& b) { return program_of(a).shr(a, b); }

Handle operator+(double a, const Handle& b) { return program_of(b).add(a, b); }
Handle operator-(double a, const Handle& b) { return program_of(b).sub(a, b); }
Handle operator*(double a, const Handle& b) { return program_of(b).mul(a, b); }
Handle operator/(double a, const Handle& b) { return program_of(b).div(a, b); }
Handle operator%(double a, const Handle& b) { return program_of(b).mod(a, b); }
Handle operator<(double a, const Handle& b) { return program_of(b).lt(a, b); }
Handle operator<=(double a, const Handle& b) { return program_of(b).le(a, b); }
Handle operator>(double a, const Handle& b) { return program_of(b).gt(a, b); }
Handle operator>=(double a, const Handle& b) { return program_of(b).ge(a, b); }
Handle operator==(double a, const Handle& b) { return program_of(b).eq(a, b); }
Handle operator!=(double a, const Handle& b) { return program_of(b).ne(a, b); }
Handle operator&(double a, const Handle& b) { return program_of(b).bitwise_and(a, b); }
Handle operator|(double a, const Handle& b) { return program_of(b).bitwise_or(a, b); }
Handle operator^(double a, const Handle& b) { return program_of(b).bitwise_xor(a, b); }
Handle operator<<(double a, const Handle& b) { return program_of(b).shl(a, b); }
Handle operator>>(double a, const Handle& b) { return program_of(b).shr(a, b); }

Handle operator-(const Handle& x) { return program_of(x).mul(x, -1.0); }
Handle operator~(const Handle& x) { return program_of(x).bitwise_not(x); }

}  // namespace kernbench::tl
