// RTL components of a build without Verilator.
#include "models/rtl/rtl_components.h"

namespace kernbench {

void register_rtl_components(ComponentRegistry& registry) {
  for (const char* name : {"rtl.pe_gemm", "rtl.router", "rtl.sram"}) {
    Implementation missing;
    missing.name = name;
    missing.unavailable = "this kernbench was built without Verilator";
    registry.add(std::move(missing));
  }
}

}  // namespace kernbench
