// The list of benches. A new one is a file with a function that returns it, its declaration in
// shipped.h and a line here.
#include "sw/benches/bench_registry.h"
#include "sw/benches/shipped.h"

namespace kernbench {

void register_benches(BenchRegistry& registry) {
  registry.add(benches::ccl_allreduce());
  registry.add(benches::collectives());
  registry.add(benches::gather_walk());
  registry.add(benches::gemm_single_pe());
  registry.add(benches::gpt3_qkv());
  registry.add(benches::ipcq_pingpong());
  registry.add(benches::layernorm());
  registry.add(benches::matmul_composite());
  registry.add(benches::mlp_fused());
  registry.add(benches::newton_until());
  registry.add(benches::qkv_gemm());
  registry.add(benches::qkv_gemm_multi_pe());
  registry.add(benches::softmax_rows());
  registry.add(benches::va_offset_verify());
}

}  // namespace kernbench
