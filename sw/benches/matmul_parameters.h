// What the matrix benches have in common: extents, dtype, tensors on one PE and the product's reference.
#pragma once

#include "sw/benches/bench.h"

namespace kernbench::benches {

// M, K, N and dtype.
ParameterSchema matmul_parameters();

// a{M,K}, b{K,N} with random values and an output, on PE 0 of cube 0.
struct MatmulTensors {
  HostArray a_host, b_host;
  Tensor a, b, out;
  int m, k, n;
};
MatmulTensors make_matmul_tensors(Torch& torch);

}  // namespace kernbench::benches
