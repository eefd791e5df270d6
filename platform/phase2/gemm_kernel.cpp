#define EIGEN_WORLD EigenPortable
#define KERNBENCH_MULTIPLY multiply_portable
#include "platform/phase2/gemm_kernel_body.h"

namespace kernbench {
namespace {

template <class Block>
void multiply_best(const Block& block) {
#ifdef KERNBENCH_GEMM_AVX512
  static const bool avx512 = __builtin_cpu_supports("avx512f") &&
                             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
  if (avx512) return multiply_avx512(block);
#endif
#ifdef KERNBENCH_GEMM_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return multiply_avx2(block);
#endif
  multiply_portable(block);
}

}  // namespace

void multiply(const GemmBlock& block) { multiply_best(block); }
void multiply(const IntegerBlock& block) { multiply_best(block); }

}  // namespace kernbench
