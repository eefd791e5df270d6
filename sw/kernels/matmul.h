// Matrix product of one PE: out[M,N] = act(a[M,K] b[K,N]).
#pragma once

#include <cstdint>

#include "sw/tl/program.h"

namespace kernbench::kernels {

enum class MatmulVariant : std::int32_t {
  ref_ref,    // both operands stream from memory
  load_ref,   // a is loaded into TCM first
  load_load,  // both are
};

enum class Activation : std::int32_t { none, relu, gelu, silu };

// One composite. The operands' dtype is the tensors'; M, K, N are their extents. Loaded operands
// must fit the scratch.
void matmul_composite(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int M, int K,
                      int N, int variant, int activation);

// Load, load, dot, store: one PE_GEMM operation without tiling.
void matmul_dot(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor out, int M, int K, int N);

}  // namespace kernbench::kernels
