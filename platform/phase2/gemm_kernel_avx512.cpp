#define EIGEN_WORLD EigenAvx512
#include "platform/phase2/gemm_kernel_body.h"

namespace kernbench {

void multiply_avx512(const GemmBlock& block) { multiply_here(block); }
void multiply_avx512(const IntegerBlock& block) { multiply_here(block); }

}  // namespace kernbench
