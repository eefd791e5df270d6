#include "sw/tl/operators.h"

#include "sw/tl/program.h"

namespace kernbench::tl {

Program& program_of(const Handle& handle, CallSite site) { return *handle.state(site).program; }

namespace {

// One of them is a block. Both have the line of the call.
Handle operate(MathOp op, const Operand& a, const Operand& b) {
  const Operand& block = a.is_handle() ? a : b;
  return program_of(block.handle(), block.site()).math(op, {a, b});
}

}  // namespace

Handle operator+(const Handle& a, const Operand& b) {
  return operate(MathOp::add, {a, b.site()}, b);
}
Handle operator-(const Handle& a, const Operand& b) {
  return operate(MathOp::sub, {a, b.site()}, b);
}
Handle operator*(const Handle& a, const Operand& b) {
  return operate(MathOp::mul, {a, b.site()}, b);
}
Handle operator/(const Handle& a, const Operand& b) {
  return operate(MathOp::div, {a, b.site()}, b);
}
Handle operator%(const Handle& a, const Operand& b) {
  return operate(MathOp::mod, {a, b.site()}, b);
}
Handle operator<(const Handle& a, const Operand& b) {
  return operate(MathOp::lt, {a, b.site()}, b);
}
Handle operator<=(const Handle& a, const Operand& b) {
  return operate(MathOp::le, {a, b.site()}, b);
}
Handle operator>(const Handle& a, const Operand& b) {
  return operate(MathOp::gt, {a, b.site()}, b);
}
Handle operator>=(const Handle& a, const Operand& b) {
  return operate(MathOp::ge, {a, b.site()}, b);
}
Handle operator==(const Handle& a, const Operand& b) {
  return operate(MathOp::eq, {a, b.site()}, b);
}
Handle operator!=(const Handle& a, const Operand& b) {
  return operate(MathOp::ne, {a, b.site()}, b);
}
Handle operator&(const Handle& a, const Operand& b) {
  return operate(MathOp::bitwise_and, {a, b.site()}, b);
}
Handle operator|(const Handle& a, const Operand& b) {
  return operate(MathOp::bitwise_or, {a, b.site()}, b);
}
Handle operator^(const Handle& a, const Operand& b) {
  return operate(MathOp::bitwise_xor, {a, b.site()}, b);
}
Handle operator<<(const Handle& a, const Operand& b) {
  return operate(MathOp::shl, {a, b.site()}, b);
}
Handle operator>>(const Handle& a, const Operand& b) {
  return operate(MathOp::shr, {a, b.site()}, b);
}

Handle operator+(double a, const BlockArg& b) { return operate(MathOp::add, {a, b.site()}, b); }
Handle operator-(double a, const BlockArg& b) { return operate(MathOp::sub, {a, b.site()}, b); }
Handle operator*(double a, const BlockArg& b) { return operate(MathOp::mul, {a, b.site()}, b); }
Handle operator/(double a, const BlockArg& b) { return operate(MathOp::div, {a, b.site()}, b); }
Handle operator%(double a, const BlockArg& b) { return operate(MathOp::mod, {a, b.site()}, b); }
Handle operator<(double a, const BlockArg& b) { return operate(MathOp::lt, {a, b.site()}, b); }
Handle operator<=(double a, const BlockArg& b) { return operate(MathOp::le, {a, b.site()}, b); }
Handle operator>(double a, const BlockArg& b) { return operate(MathOp::gt, {a, b.site()}, b); }
Handle operator>=(double a, const BlockArg& b) { return operate(MathOp::ge, {a, b.site()}, b); }
Handle operator==(double a, const BlockArg& b) { return operate(MathOp::eq, {a, b.site()}, b); }
Handle operator!=(double a, const BlockArg& b) { return operate(MathOp::ne, {a, b.site()}, b); }
Handle operator&(double a, const BlockArg& b) {
  return operate(MathOp::bitwise_and, {a, b.site()}, b);
}
Handle operator|(double a, const BlockArg& b) {
  return operate(MathOp::bitwise_or, {a, b.site()}, b);
}
Handle operator^(double a, const BlockArg& b) {
  return operate(MathOp::bitwise_xor, {a, b.site()}, b);
}
Handle operator<<(double a, const BlockArg& b) { return operate(MathOp::shl, {a, b.site()}, b); }
Handle operator>>(double a, const BlockArg& b) { return operate(MathOp::shr, {a, b.site()}, b); }

Handle operator-(const BlockArg& x) { return operate(MathOp::mul, x, {-1.0, x.site()}); }
Handle operator~(const BlockArg& x) { return program_of(x.handle(), x.site()).bitwise_not(x); }

}  // namespace kernbench::tl
