// Gated activation of an MLP (Shazeer 2020, arXiv:2002.05202), and the addition of a block of
// columns. GELU and SiLU alone are epilogues of ops::matmul.
#pragma once

#include <cstdint>
#include <optional>

#include "sw/torch/torch.h"

namespace kernbench::ops {

// out{M, N} = silu(gate{M, N}) * up{M, N}, in f32, rounded once. Each PE computes its part of
// `out`; with parts of gate and up on the same PEs all accesses are local. Returns when the kernel
// has ended. UsageError: other shapes, partial sums.
void swiglu(Torch& torch, const Tensor& gate, const Tensor& up, const Tensor& out,
            const LaunchSpec& launch = "swiglu");

// x{M, N}, from `column` on, += y{M, n} (+ bias{N} of the same columns), in f32, rounded once. x
// has whole rows on each PE, which adds to its own. Returns when the kernel has ended. UsageError:
// shapes that do not fit, rows of x in parts, partial sums.
void add_columns_(Torch& torch, const Tensor& x, const Tensor& y, std::int64_t column,
                  const std::optional<Tensor>& bias = {}, const LaunchSpec& launch = "add_columns");

}  // namespace kernbench::ops
