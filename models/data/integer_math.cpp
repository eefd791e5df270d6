#include "models/data/integer_math.h"

#include <cmath>

namespace kernbench {

bool fits_integers(MathOp op, double immediate) {
  const bool integral = std::nearbyint(immediate) == immediate;
  if (op == MathOp::minimum || op == MathOp::maximum || op == MathOp::clamp)
    return std::isinf(immediate) || integral;
  if (takes_integers_only(op)) return integral && std::fabs(immediate) <= 0x1p32;
  return integral && std::fabs(immediate) <= 0x1p31;  // products stay below 2^63
}

}  // namespace kernbench
