#include "models/base/math_op.h"

#include <array>

namespace kernbench {
namespace {

constexpr std::array<std::string_view, math_op_count> names{
    "exp",  "log",   "sqrt",  "rsqrt", "abs", "sigmoid", "cos",     "sin",     "tanh",
    "relu", "gelu",  "silu",  "add",   "sub", "mul",     "div",     "maximum", "minimum",
    "fma",  "clamp", "where", "sum",   "max", "min",     "softmax", "argmax"};

}  // namespace

std::string_view name_of(MathOp op) { return names[static_cast<std::size_t>(op)]; }

std::optional<MathOp> parse_math_op(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<MathOp>(i);
  }
  return std::nullopt;
}

const char* name_of(EpilogueScope scope) {
  constexpr std::array<const char*, 3> scopes{"k_tile", "output_tile", "kernel"};
  return scopes.at(static_cast<std::size_t>(scope));
}

int operand_count(MathOp op) {
  if (op >= MathOp::fma && op <= MathOp::where) return 3;
  return op >= MathOp::add && op <= MathOp::minimum ? 2 : 1;
}

}  // namespace kernbench
