// The engines of a PE as implementations, "builtin.pe_cpu" and so on.
#pragma once

#include "models/base/component_registry.h"

namespace kernbench {

// Registers all nine, in the order of spec 1.1.
void register_pe_components(ComponentRegistry& registry);

// One each, in the source of the engine.
Implementation pe_cpu_implementation();
Implementation pe_scheduler_implementation();
Implementation pe_dma_implementation();
Implementation pe_fetch_store_implementation();
Implementation pe_gemm_implementation();
Implementation pe_math_implementation();
Implementation pe_tcm_implementation();
Implementation pe_mmu_implementation();
Implementation pe_ipcq_implementation();

}  // namespace kernbench
