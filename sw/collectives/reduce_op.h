// Reduction of the values of all ranks to one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/math_op.h"

namespace kernbench {

// avg, as in NCCL: floats are divided by the number of ranks before the addition, so that the sum
// does not overflow; for integers the sum is divided, towards zero. band, bor, bxor: bitwise,
// integers only.
enum class ReduceOp : std::uint8_t { sum, max, min, prod, avg, band, bor, bxor };

const char* name_of(ReduceOp op);
const std::vector<std::string>& reduce_op_names();  // in the order of the enumeration
// UsageError that lists the names.
ReduceOp parse_reduce_op(const std::string& name);

bool takes_integers_only(ReduceOp op);
// Operation that combines two values.
MathOp math_op_of(ReduceOp op);

}  // namespace kernbench
