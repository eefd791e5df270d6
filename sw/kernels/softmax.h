// Softmax along the rows of a matrix.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// Every PE works on its own rows of x, `block_rows` at a time. `one_op`: tl.softmax; else maximum,
// exponential, sum and quotient one by one, each rounded to the dtype of x.
void softmax_rows(tl::Program& tl, tl::Tensor x, tl::Tensor out, int block_rows, bool one_op);

}  // namespace kernbench::kernels
