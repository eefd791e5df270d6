// Gated activation of an MLP (Shazeer 2020, arXiv:2002.05202). GELU and SiLU alone are epilogues of
// ops::matmul.
#pragma once

#include "sw/torch/torch.h"

namespace kernbench::ops {

// out{M, N} = silu(gate{M, N}) * up{M, N}, in f32, rounded once. Each PE computes its part of
// `out`; with parts of gate and up on the same PEs all accesses are local. Returns when the kernel
// has ended. UsageError: other shapes, partial sums.
void swiglu(Torch& torch, const Tensor& gate, const Tensor& up, const Tensor& out,
            const LaunchSpec& launch = "swiglu");

}  // namespace kernbench::ops
