// Rotary position embedding (Su et al. 2021, arXiv:2104.09864): the elements i and i + d / 2 of a
// head are rotated by position * theta ^ (-2 i / d), as in Llama and GPT-NeoX.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/torch/torch.h"

namespace kernbench::ops {

// function(angle) {positions, d / 2}, row-major.
std::vector<double> rotary_table(const std::vector<std::int64_t>& positions, std::int64_t d,
                                 double theta, double (*function)(double));

// out{T, heads * d}: the first heads * d columns of x{T, N}, rotated by cos and sin{T, d / 2} of
// f32. Computed in f32, rounded once. Each PE computes its rows of `out`, which are whole. Returns
// when the kernel has ended. UsageError: an odd d, shapes that do not fit, rows of `out` in parts,
// partial sums.
void rotary(Torch& torch, const Tensor& x, std::int64_t d, const Tensor& cos, const Tensor& sin,
            const Tensor& out);

}  // namespace kernbench::ops
