#include "models/base/math_op.h"

#include <array>

namespace kernbench {
namespace {

enum class Integers : std::uint8_t { allowed, only };
enum class Result : std::uint8_t { number, mask, fraction };

struct Row {
  std::string_view name;
  MathKind kind;
  int operands;
  int cycles;
  Integers integers;
  Result result;
};

constexpr std::array<Row, math_op_count> table{{
#define MATH_OP(name, kind, operands, cycles, integers, result) \
  {#name, MathKind::kind, operands, cycles, Integers::integers, Result::result},
#include "models/base/math_op.def"
#undef MATH_OP
}};

const Row& row_of(MathOp op) { return table[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view name_of(MathOp op) { return row_of(op).name; }

std::optional<MathOp> parse_math_op(std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<MathOp>(i);
  }
  return std::nullopt;
}

const char* name_of(EpilogueScope scope) {
  constexpr std::array<const char*, 3> scopes{"k_tile", "output_tile", "kernel"};
  return scopes.at(static_cast<std::size_t>(scope));
}

MathKind kind_of(MathOp op) { return row_of(op).kind; }
int operand_count(MathOp op) { return row_of(op).operands; }
int default_cycles(MathOp op) { return row_of(op).cycles; }
bool takes_integers_only(MathOp op) { return row_of(op).integers == Integers::only; }
bool gives_mask(MathOp op) { return row_of(op).result == Result::mask; }
bool gives_fractions(MathOp op) { return row_of(op).result == Result::fraction; }

}  // namespace kernbench
