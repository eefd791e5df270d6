#include "platform/config/pe_links.h"

#include <fmt/format.h>

namespace kernbench {

const std::vector<EnginePair>& pe_internal_pairs() {
  static const std::vector<EnginePair> pairs = [] {
    using E = PeEngine;
    constexpr EnginePair both_ways[] = {
        {E::pe_cpu, E::pe_scheduler},  // commands and their completion
        {E::pe_scheduler, E::pe_dma},  // dispatch to every engine, completion back
        {E::pe_scheduler, E::pe_fetch_store},
        {E::pe_scheduler, E::pe_gemm},
        {E::pe_scheduler, E::pe_math},
        {E::pe_scheduler, E::pe_ipcq},
        {E::pe_dma, E::pe_fetch_store},  // tile tasks
        {E::pe_fetch_store, E::pe_gemm},
        {E::pe_fetch_store, E::pe_math},
        {E::pe_gemm, E::pe_math},
        {E::pe_fetch_store, E::pe_tcm},  // TCM accesses
        {E::pe_dma, E::pe_tcm},
        {E::pe_dma, E::pe_mmu},   // translation
        {E::pe_ipcq, E::pe_dma},  // IPCQ tasks
        {E::pe_cpu, E::pe_ipcq},  // send and recv of the kernel
        {E::pe_cpu, E::pe_mmu},   // lookups
    };
    std::vector<EnginePair> all;
    for (const EnginePair& pair : both_ways) {
      all.push_back(pair);
      all.push_back({pair.dst, pair.src});
    }
    return all;
  }();
  return pairs;
}

std::string link_name(EnginePair pair) {
  return fmt::format("{}_to_{}", name_of(pair.src), name_of(pair.dst));
}

bool carries_flits(EnginePair pair) {
  return (pair.src == PeEngine::pe_dma && pair.dst == PeEngine::pe_tcm) ||
         (pair.src == PeEngine::pe_tcm && pair.dst == PeEngine::pe_dma);
}

}  // namespace kernbench
