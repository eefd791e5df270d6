// What a node of the topology is.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/role.h"

namespace kernbench {

enum class NodeKind : std::uint8_t {
  fabric_switch,
  pcie_ep,
  ual_ep,
  io_cpu,
  io_noc,
  io_ucie,
  io_conn,  // tray and IO chiplet
  router,
  m_cpu,
  sram,
  hbm_ctrl,
  hbm_channel,
  ucie_port,
  ucie_conn,  // cube
  pe_cpu,
  pe_scheduler,
  pe_dma,
  pe_fetch_store,
  pe_gemm,
  pe_math,
  pe_tcm,
  pe_mmu,
  pe_ipcq,  // PE
  tlm_initiator
};
inline constexpr std::size_t node_kinds = static_cast<std::size_t>(NodeKind::tlm_initiator) + 1;

std::string_view name_of(NodeKind kind);  // "pcie_ep"; the switch is "switch"
Role role_of(NodeKind kind);              // what an implementation has to be made for

}  // namespace kernbench
