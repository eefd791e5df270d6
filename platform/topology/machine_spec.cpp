#include "platform/topology/machine_spec.h"

namespace kernbench {

const std::vector<EnginePair>& pe_internal_pairs() {
  static const std::vector<EnginePair> pairs = [] {
    constexpr EnginePair both_ways[] = {
        {"pe_cpu", "pe_scheduler"},  // commands and their completion
        {"pe_scheduler", "pe_dma"},  // dispatch to every engine, completion back
        {"pe_scheduler", "pe_fetch_store"},
        {"pe_scheduler", "pe_gemm"},
        {"pe_scheduler", "pe_math"},
        {"pe_scheduler", "pe_ipcq"},
        {"pe_dma", "pe_fetch_store"},  // tile tokens
        {"pe_fetch_store", "pe_gemm"},
        {"pe_fetch_store", "pe_math"},
        {"pe_gemm", "pe_math"},
        {"pe_fetch_store", "pe_tcm"},  // TCM accesses
        {"pe_dma", "pe_tcm"},
        {"pe_dma", "pe_mmu"},   // translation
        {"pe_ipcq", "pe_dma"},  // IPCQ tokens
        {"pe_cpu", "pe_ipcq"},  // send and recv of the kernel
        {"pe_cpu", "pe_mmu"},   // lookups
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

std::string_view name_of(SipTopology topology) {
  constexpr std::array<std::string_view, 3> names{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
  return names[static_cast<std::size_t>(topology)];
}

std::string_view name_of(AddressModel model) {
  constexpr std::array<std::string_view, 3> names{"pa", "va", "la"};
  return names[static_cast<std::size_t>(model)];
}

std::string_view name_of(HbmMapping mapping) {
  constexpr std::array<std::string_view, 2> names{"n_to_one", "one_to_one"};
  return names[static_cast<std::size_t>(mapping)];
}

}  // namespace kernbench
