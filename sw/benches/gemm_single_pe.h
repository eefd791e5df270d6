// gemm-single-pe: one matrix product on one PE, as a tiled composite or as one dot.
#pragma once

#include "sw/benches/bench.h"

namespace kernbench::benches {

Bench gemm_single_pe();

}  // namespace kernbench::benches
