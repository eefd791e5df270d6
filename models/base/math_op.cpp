#include "models/base/math_op.h"

#include <array>

namespace kernbench {
namespace {

enum class Integers : std::uint8_t { allowed, only };
enum class Result : std::uint8_t { number, mask, fraction };

struct Facts {
  std::string_view name;
  MathKind kind;
  int operands;
  int cycles;  // by default
  Integers integers = Integers::allowed;
  Result result = Result::number;
};

constexpr MathKind each = MathKind::element_wise, reduction = MathKind::reduction,
                   scan = MathKind::scan, sort = MathKind::sort, move = MathKind::move;
constexpr Integers allowed = Integers::allowed, only = Integers::only;
constexpr Result mask = Result::mask, fraction = Result::fraction;

// Of the random numbers (docs/decisions/operation-semantics.md): a round of Philox is 10 operations
// on integers, the uniform float takes 4 more, the normal one log, sqrt, cos and 8 of a cycle.
constexpr std::array<Facts, math_op_count> table{{
    {"exp", each, 1, 4, allowed, fraction},
    {"log", each, 1, 4, allowed, fraction},
    {"sqrt", each, 1, 4, allowed, fraction},
    {"rsqrt", each, 1, 1, allowed, fraction},
    {"abs", each, 1, 1},
    {"sigmoid", each, 1, 4, allowed, fraction},
    {"cos", each, 1, 4, allowed, fraction},
    {"sin", each, 1, 4, allowed, fraction},
    {"tanh", each, 1, 1, allowed, fraction},
    {"relu", each, 1, 1},
    {"gelu", each, 1, 1, allowed, fraction},
    {"silu", each, 1, 1, allowed, fraction},
    {"exp2", each, 1, 4, allowed, fraction},
    {"log2", each, 1, 4, allowed, fraction},
    {"erf", each, 1, 4, allowed, fraction},
    {"asin", each, 1, 4, allowed, fraction},
    {"acos", each, 1, 4, allowed, fraction},
    {"atan", each, 1, 4, allowed, fraction},
    {"log1p", each, 1, 4, allowed, fraction},
    {"expm1", each, 1, 4, allowed, fraction},
    {"floor", each, 1, 1},
    {"ceil", each, 1, 1},
    {"rint", each, 1, 1},
    {"trunc", each, 1, 1},
    {"logical_not", each, 1, 1, allowed, mask},
    {"bitwise_not", each, 1, 1, only},
    {"randint", each, 1, 100, only},
    {"rand", each, 1, 104, only},
    {"randn", each, 1, 124, only},
    {"add", each, 2, 1},
    {"sub", each, 2, 1},
    {"mul", each, 2, 1},
    {"div", each, 2, 1, allowed, fraction},
    {"maximum", each, 2, 1},
    {"minimum", each, 2, 1},
    {"mod", each, 2, 1},
    {"atan2", each, 2, 4, allowed, fraction},
    {"pow", each, 2, 8, allowed, fraction},  // log2, mul, exp2
    {"idiv", each, 2, 1, only},
    {"eq", each, 2, 1, allowed, mask},
    {"ne", each, 2, 1, allowed, mask},
    {"lt", each, 2, 1, allowed, mask},
    {"le", each, 2, 1, allowed, mask},
    {"gt", each, 2, 1, allowed, mask},
    {"ge", each, 2, 1, allowed, mask},
    {"logical_and", each, 2, 1, allowed, mask},
    {"logical_or", each, 2, 1, allowed, mask},
    {"bitwise_and", each, 2, 1, only},
    {"bitwise_or", each, 2, 1, only},
    {"bitwise_xor", each, 2, 1, only},
    {"shl", each, 2, 1, only},
    {"shr", each, 2, 1, only},
    {"fma", each, 3, 1},
    {"clamp", each, 3, 1},
    {"where", each, 3, 1},
    {"sum", reduction, 1, 1},
    {"max", reduction, 1, 1},
    {"min", reduction, 1, 1},
    {"softmax", reduction, 1, 1, allowed, fraction},
    {"argmax", reduction, 1, 1},
    {"argmin", reduction, 1, 1},
    {"any", reduction, 1, 1, allowed, mask},
    {"all", reduction, 1, 1, allowed, mask},
    {"xor_sum", reduction, 1, 1, only},
    {"cumsum", scan, 1, 1},
    {"cumprod", scan, 1, 1},
    {"sort", sort, 1, 1},
    {"topk", sort, 1, 1},
    {"cat", move, 0, 1},
    {"flip", move, 1, 1},
    {"gather", move, 2, 1},
    {"update", move, 2, 1},
}};
static_assert(table.back().name == "update", "one row for every operation");

const Facts& facts_of(MathOp op) { return table[static_cast<std::size_t>(op)]; }

}  // namespace

std::string_view name_of(MathOp op) { return facts_of(op).name; }

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

MathKind kind_of(MathOp op) { return facts_of(op).kind; }
int operand_count(MathOp op) { return facts_of(op).operands; }
int default_cycles(MathOp op) { return facts_of(op).cycles; }
bool takes_integers_only(MathOp op) { return facts_of(op).integers == only; }
bool gives_mask(MathOp op) { return facts_of(op).result == mask; }
bool gives_fractions(MathOp op) { return facts_of(op).result == fraction; }

}  // namespace kernbench
