#define EIGEN_WORLD EigenAvx2
#include "platform/phase2/gemm_kernel_body.h"

namespace kernbench {

void multiply_avx2(const GemmBlock& block) { multiply_here(block); }
void multiply_avx2(const IntegerBlock& block) { multiply_here(block); }

}  // namespace kernbench
