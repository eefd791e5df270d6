// Layer normalisation along the rows of a matrix.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// out = (x - mean) / sqrt(variance + epsilon) * gamma + beta, of every row. Computed in f32 and
// rounded once. Every PE works on its own rows, `block_rows` at a time; gamma{columns} and
// beta{columns} are whole on each.
void layernorm(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor beta, tl::Tensor out,
               float epsilon, int block_rows);

}  // namespace kernbench::kernels
