// The list of benches. A new one is a file with a function that returns it, and a line here.
#include "sw/benches/bench_registry.h"
#include "sw/benches/gemm_single_pe.h"
#include "sw/benches/matmul_composite.h"

namespace kernbench {

void register_benches(BenchRegistry& registry) {
  registry.add(benches::gemm_single_pe());
  registry.add(benches::matmul_composite());
}

}  // namespace kernbench
