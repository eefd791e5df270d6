// Time that an operation of an engine saves at twice the rate of the engine.
#pragma once

#include <cstdint>

#include "models/base/component.h"
#include "models/base/executed_op.h"

namespace kernbench {

// Work per cycle of the engines of a PE; 0: unknown, twice the rate halves the time.
struct EngineRates {
  std::uint64_t macs_per_cycle = 0, lanes = 0;

  // Reads the rate of `engine`, a PE_GEMM or PE_MATH. A systolic array has none.
  void take(Role role, const Component& engine);
  // `op` by an engine of `role`. Engines work in whole cycles, ceil(work / rate).
  Fs saved(Role role, const ExecutedOp& op) const;
};

}  // namespace kernbench
