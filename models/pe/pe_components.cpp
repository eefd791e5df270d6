#include "models/pe/pe_components.h"

namespace kernbench {

void register_pe_components(ComponentRegistry& registry) {
  registry.add(pe_cpu_implementation());
  registry.add(pe_scheduler_implementation());
  registry.add(pe_dma_implementation());
  registry.add(pe_fetch_store_implementation());
  registry.add(pe_gemm_implementation());
  registry.add(pe_math_implementation());
  registry.add(pe_tcm_implementation());
  registry.add(pe_mmu_implementation());
  registry.add(pe_ipcq_implementation());
}

}  // namespace kernbench
