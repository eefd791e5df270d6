// What the matrix benches have in common: extents, dtype, tensors on one PE and the product's
// reference.
#pragma once

#include <functional>
#include <vector>

#include "sw/benches/bench.h"

namespace kernbench::benches {

// M, K, N and dtype.
ParameterSchema matmul_parameters();

// a{M,K}, b{K,N} with random values and an output, on PE 0 of cube 0.
struct MatmulTensors {
  Tensor a, b, out;
  int m, k, n;
  std::function<std::vector<double>()> product;  // the reference; not to be called with data off
};
MatmulTensors make_matmul_tensors(Torch& torch);

}  // namespace kernbench::benches
