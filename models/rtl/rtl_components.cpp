#include "models/rtl/rtl_components.h"

#include "models/rtl/pe_gemm.h"

namespace kernbench {

void register_rtl_components(ComponentRegistry& registry) { registry.add(rtl_pe_gemm()); }

}  // namespace kernbench
