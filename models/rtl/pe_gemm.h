// rtl.pe_gemm: the systolic array of sv/kernbench_systolic.sv, in the sizes that are built.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

Implementation rtl_pe_gemm();

}  // namespace kernbench
