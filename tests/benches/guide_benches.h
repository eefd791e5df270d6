// The benches of the guide (sw/README.md), cut out of it by tests/support/cut_example.cmake.
#pragma once

#include "sw/benches/bench_registry.h"

namespace kernbench::benches {
void register_scaled_add(BenchRegistry& registry);
void register_heads_rms(BenchRegistry& registry);
void register_dtensor_mlp(BenchRegistry& registry);
}  // namespace kernbench::benches
