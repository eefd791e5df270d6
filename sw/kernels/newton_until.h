// Newton's iteration for reciprocal square roots, until it has converged.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// y = 1 / sqrt(x) from y = guess: y <- y + y (1 - x y^2) / 2, until the largest |1 - x y^2| of the
// block is at most `tolerance`: that is computed on the PE, and decides whether the kernel goes on.
// `steps`{programs, 1} i32 gets the number of steps of each program; more than `max_steps` are an
// error. Converges from 0 < guess < sqrt(3 / x). Needs a run with --data eager.
void newton_until(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor steps, float guess,
                  float tolerance, std::int32_t max_steps);

}  // namespace kernbench::kernels
