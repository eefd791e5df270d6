// Normalisation of rows (torch.nn.functional.rms_norm, layer_norm), computed in f32 and rounded
// once to the dtype of the result. Each PE computes its rows of `out`.
#pragma once

#include "sw/torch/torch.h"

namespace kernbench::ops {

// out{M, N} = x / sqrt(mean(x^2) + epsilon) * gamma, with x{M, N} and gamma{N} of any placement.
// `out` has whole rows on each PE. Returns when the kernel has ended. UsageError: shapes that do
// not fit, rows of `out` in parts, partial sums.
void rms_norm(Torch& torch, const Tensor& x, const Tensor& gamma, const Tensor& out,
              double epsilon = 1e-5, const LaunchSpec& launch = "rms_norm");

// out{M, N} = (x - mean) / sqrt(variance + epsilon) * gamma + beta; the variance of all N.
void layer_norm(Torch& torch, const Tensor& x, const Tensor& gamma, const Tensor& beta,
                const Tensor& out, double epsilon = 1e-5, const LaunchSpec& launch = "layer_norm");

}  // namespace kernbench::ops
