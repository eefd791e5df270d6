// The feed-forward part of a transformer layer: out = gelu(x w1 + b1) w2.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// Two composites; the hidden layer stays in TCM, rounded to the dtype of x. Every PE works on its
// own rows of x, `block_rows` at a time; the weights are whole on each and stream.
void mlp_fused(tl::Program& tl, tl::Tensor x, tl::Tensor w1, tl::Tensor b1, tl::Tensor w2,
               tl::Tensor out, int block_rows);

}  // namespace kernbench::kernels
