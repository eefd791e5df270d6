// The places of a machine that a component may take (spec 1.1). An implementation declares which of
// them it is made for; the configuration is held to it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernbench {

enum class Role : std::uint8_t {
  router,  // passes messages on: switch, router, UCIe port or connection, network of an IO chiplet
  pcie_ep,
  ual_ep,
  io_cpu,
  m_cpu,
  sram,
  hbm_ctrl,
  pe_cpu,
  pe_scheduler,
  pe_dma,
  pe_fetch_store,
  pe_gemm,
  pe_math,
  pe_tcm,
  pe_mmu,
  pe_ipcq,
  tlm_initiator
};
using Roles = std::vector<Role>;

inline std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 17> names{
      "router",   "pcie_ep", "ual_ep",       "io_cpu",  "m_cpu",          "sram",
      "hbm_ctrl", "pe_cpu",  "pe_scheduler", "pe_dma",  "pe_fetch_store", "pe_gemm",
      "pe_math",  "pe_tcm",  "pe_mmu",       "pe_ipcq", "tlm_initiator"};
  return names[static_cast<std::size_t>(role)];
}

}  // namespace kernbench
