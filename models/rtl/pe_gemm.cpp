#include "models/rtl/rtl_components.h"
#include "models/rtl/verilated_gemm.h"
// The models, one per size.
#include <Vkernbench_gemm_32x32.h>
#include <Vkernbench_gemm_8x8.h>

namespace kernbench {

Implementation rtl_pe_gemm() {
  return gemm_implementation(
      "rtl.pe_gemm", "systolic MAC array in SystemVerilog",
      {gemm_design<Vkernbench_gemm_8x8>({8, 8}), gemm_design<Vkernbench_gemm_32x32>({32, 32})});
}

}  // namespace kernbench
