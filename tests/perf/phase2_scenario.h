// Phase 2 without a simulation: the operations as a bench records them, evaluated by a
// DataExecutor; and what Eigen takes for a product of the same extents in f32.
#pragma once

#include <cstdint>

namespace kernbench::perf {

struct Phase2Figures {
  double seconds = 0;  // wall time from the recorded operations to the bytes of the output
  double processor_seconds = 0;  // the same on all processors together
  double peak_mib = 0;           // of the process
  double recorded_mib = 0;       // resident before phase 2: operands and operations
};

// out = a b in f16, square, as one composite records it.
Phase2Figures composite_product(std::int64_t extent, unsigned threads);
// The same in dots of tile_m x tile_k x tile_n and sums of their results, as a kernel records it
// whose matrices lie in memory tile by tile.
Phase2Figures tiled_product(std::int64_t extent, std::int64_t tile_m, std::int64_t tile_k,
                            std::int64_t tile_n, unsigned threads);

// c = a b in f32 by Eigen, compiled for this processor; OpenMP shares it out where there is more
// than one thread.
Phase2Figures eigen_product(std::int64_t extent, unsigned threads);

}  // namespace kernbench::perf
