// Operations of PE_MATH (math_op.def) and scopes of an epilogue: one list for the kernel API,
// timing and evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernbench {

enum class MathOp : std::uint8_t {
#define MATH_OP(name, ...) name,
#include "models/base/math_op.def"
#undef MATH_OP
};
inline constexpr int math_op_count = 0
#define MATH_OP(...) +1
#include "models/base/math_op.def"
#undef MATH_OP
    ;

// Kind of an operation: it determines the shape of the result and the time rule (spec 5.6).
enum class MathKind : std::uint8_t { element_wise, reduction, scan, sort, move };

std::string_view name_of(MathOp op);
std::optional<MathOp> parse_math_op(std::string_view name);
MathKind kind_of(MathOp op);
int operand_count(MathOp op);   // 1, 2 or 3; 0: any number of them
int default_cycles(MathOp op);  // per row of lanes
bool takes_integers_only(MathOp op);
bool gives_mask(MathOp op);       // i8, 0 or 1
bool gives_fractions(MathOp op);  // which no integer dtype holds
inline bool is_reduction(MathOp op) { return kind_of(op) == MathKind::reduction; }
// Generators of counter-based random numbers: the operand is the counter.
inline bool is_random(MathOp op) { return op >= MathOp::randint && op <= MathOp::randn; }

// Scope of an operation of an epilogue (spec 5.3): the product of each k tile, an output tile once
// its sum is complete, or the whole output.
enum class EpilogueScope : std::uint8_t { k_tile, output_tile, kernel };
const char* name_of(EpilogueScope scope);

}  // namespace kernbench
