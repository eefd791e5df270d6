#include "models/rtl/rtl_components.h"

#include "models/rtl/rtl_router.h"
#include "models/rtl/rtl_sram.h"

namespace kernbench {

void register_rtl_components(ComponentRegistry& registry) {
  registry.add(rtl_pe_gemm());
  registry.add(rtl_router());
  registry.add(rtl_sram());
}

}  // namespace kernbench
