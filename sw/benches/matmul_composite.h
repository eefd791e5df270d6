// matmul-composite: one tiled matrix product on one PE, by how its operands reach the tiles, with an epilogue.
#pragma once

#include "sw/benches/bench.h"

namespace kernbench::benches {

Bench matmul_composite();

}  // namespace kernbench::benches
