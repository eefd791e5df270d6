#include "models/rtl/rtl_components.h"

#include "models/rtl/pe_gemm.h"
#include "models/rtl/rtl_router.h"

namespace kernbench {

void register_rtl_components(ComponentRegistry& registry) {
  registry.add(rtl_pe_gemm());
  register_rtl_router(registry);
}

}  // namespace kernbench
