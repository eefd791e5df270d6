// Operations of PE_MATH and scopes of an epilogue: one list for the kernel API, the timing and the
// evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernbench {

enum class MathOp : std::uint8_t {
  // unary
  exp,
  log,
  sqrt,
  rsqrt,
  abs,
  sigmoid,
  cos,
  sin,
  tanh,
  relu,
  gelu,
  silu,
  // binary
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,
  // ternary
  fma,
  clamp,
  where,
  // reductions
  sum,
  max,
  min,
  softmax,
  argmax,
};
inline constexpr int math_op_count = static_cast<int>(MathOp::argmax) + 1;

std::string_view name_of(MathOp op);
std::optional<MathOp> parse_math_op(std::string_view name);
inline bool is_reduction(MathOp op) { return op >= MathOp::sum; }
int operand_count(MathOp op);  // 1, 2 or 3

// Scope of an operation of an epilogue (spec 5.3): the product of each k tile, an output tile once
// its sum is complete, or the whole output.
enum class EpilogueScope : std::uint8_t { k_tile, output_tile, kernel };
const char* name_of(EpilogueScope scope);

}  // namespace kernbench
