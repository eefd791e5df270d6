// What the QKV benches have in common: tensors of a projection to query, key and value, its launch
// and its references.
#pragma once

#include "sw/benches/bench.h"

namespace kernbench::benches {

struct QkvLayer {
  std::int64_t rows = 0, depth = 0, columns = 0;  // of x, and of each of q, k, v
  DType dtype = DType::f16;
  bool bias = false;
  int cubes = 1, pes = 1;  // that share the columns of the weights
};

// Makes the tensors, launches once, and asks for verification of q, k and v.
void run_qkv(Torch& torch, const QkvLayer& layer);

}  // namespace kernbench::benches
