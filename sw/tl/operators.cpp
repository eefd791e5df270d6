#include "sw/tl/operators.h"

#include <fmt/format.h>

#include "models/base/errors.h"
#include "models/data/integer_math.h"
#include "sw/tl/program.h"

namespace kernbench::tl {

double element_number(const char* call, double value, DType dtype) {
  if (is_float(dtype)) return value;
  if (!is_integral(value) || !has_32_bits(value)) {
    throw UsageError(
        fmt::format("{}: {:.17g} for elements of {}; allowed are integers of 32 bits, "
                    "-2147483648 to 4294967295",
                    call, value, name_of(dtype)));
  }
  return static_cast<double>(wrapped(static_cast<std::int64_t>(value), dtype));
}

Program& program_of(const Handle& handle, CallSite site) { return *handle.state(site).program; }

namespace {

// At least one operand is a block. Both store the line of the call.
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

Handle operator+(Number a, const BlockArg& b) { return operate(MathOp::add, {a, b.site()}, b); }
Handle operator-(Number a, const BlockArg& b) { return operate(MathOp::sub, {a, b.site()}, b); }
Handle operator*(Number a, const BlockArg& b) { return operate(MathOp::mul, {a, b.site()}, b); }
Handle operator/(Number a, const BlockArg& b) { return operate(MathOp::div, {a, b.site()}, b); }
Handle operator%(Number a, const BlockArg& b) { return operate(MathOp::mod, {a, b.site()}, b); }
Handle operator<(Number a, const BlockArg& b) { return operate(MathOp::lt, {a, b.site()}, b); }
Handle operator<=(Number a, const BlockArg& b) { return operate(MathOp::le, {a, b.site()}, b); }
Handle operator>(Number a, const BlockArg& b) { return operate(MathOp::gt, {a, b.site()}, b); }
Handle operator>=(Number a, const BlockArg& b) { return operate(MathOp::ge, {a, b.site()}, b); }
Handle operator==(Number a, const BlockArg& b) { return operate(MathOp::eq, {a, b.site()}, b); }
Handle operator!=(Number a, const BlockArg& b) { return operate(MathOp::ne, {a, b.site()}, b); }
Handle operator&(Number a, const BlockArg& b) {
  return operate(MathOp::bitwise_and, {a, b.site()}, b);
}
Handle operator|(Number a, const BlockArg& b) {
  return operate(MathOp::bitwise_or, {a, b.site()}, b);
}
Handle operator^(Number a, const BlockArg& b) {
  return operate(MathOp::bitwise_xor, {a, b.site()}, b);
}
Handle operator<<(Number a, const BlockArg& b) { return operate(MathOp::shl, {a, b.site()}, b); }
Handle operator>>(Number a, const BlockArg& b) { return operate(MathOp::shr, {a, b.site()}, b); }

Handle operator-(const BlockArg& x) { return operate(MathOp::mul, x, {-1, x.site()}); }
Handle operator~(const BlockArg& x) { return program_of(x.handle(), x.site()).bitwise_not(x); }

}  // namespace kernbench::tl
