// The query, key and value projections of a transformer layer: q = x wq, k = x wk, v = x wv.
#pragma once

#include "sw/tl/program.h"

namespace kernbench::kernels {

// Every PE makes the columns of q, k and v of which it holds the weights; x{rows, depth} is whole
// on each. Rows are loaded in blocks of `block_rows`, two of which must fit the scratch; the
// weights stream.
void qkv_projection(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                    tl::Tensor q, tl::Tensor k, tl::Tensor v, int block_rows);

// The same with a bias per column.
void qkv_projection_bias(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                         tl::Tensor bq, tl::Tensor bk, tl::Tensor bv, tl::Tensor q, tl::Tensor k,
                         tl::Tensor v, int block_rows);

}  // namespace kernbench::kernels
