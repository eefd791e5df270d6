// A function as a bench, run on a whole machine.
#pragma once

#include "tests/benches/verified_runs.h"

namespace kernbench::test {

inline BenchOutcome run_function(void (*run)(Torch&), const BenchRunOptions& options = {}) {
  return run_bench(Bench{"test-bench", "for a test", {}, run}, {}, options);
}

}  // namespace kernbench::test
