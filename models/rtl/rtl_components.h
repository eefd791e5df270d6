// The components in RTL as implementations, "rtl.pe_gemm" and so on.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

// Without Verilator: as unavailable implementations, for messages.
void register_rtl_components(ComponentRegistry& registry);

Implementation rtl_pe_gemm();  // the systolic array of sv/kernbench_systolic.sv, in the sizes built

}  // namespace kernbench
