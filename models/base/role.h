// Role of a node of the machine (spec 1.1). An implementation declares the roles that it can take;
// the configuration is checked against them. The only list of roles: PeEngine
// (models/protocol/pe_engine.h) is a name for a part of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernbench {

enum class Role : std::uint8_t {
  // Engines of a PE are first, in the order of spec 1.1, so that tables of engines are indexed by
  // them.
  pe_cpu,
  pe_scheduler,
  pe_dma,
  pe_fetch_store,
  pe_gemm,
  pe_math,
  pe_tcm,
  pe_mmu,
  pe_ipcq,
  // Cube.
  router,
  m_cpu,
  sram,
  hbm_ctrl,
  hbm_channel,
  ucie_port,
  ucie_conn,
  // Tray and IO chiplet.
  fabric_switch,
  pcie_ep,
  ual_ep,
  io_cpu,
  io_noc,
  io_ucie,
  io_conn,
  tlm_initiator,
  tlm_target
};
using Roles = std::vector<Role>;
inline constexpr std::size_t role_count = static_cast<std::size_t>(Role::tlm_target) + 1;

struct RoleInfo {
  Role role;
  std::string_view name;
  Role declared;  // role in implementations: every forwarding node is a router
};
inline constexpr std::array<RoleInfo, role_count> role_table{{
    {Role::pe_cpu, "pe_cpu", Role::pe_cpu},
    {Role::pe_scheduler, "pe_scheduler", Role::pe_scheduler},
    {Role::pe_dma, "pe_dma", Role::pe_dma},
    {Role::pe_fetch_store, "pe_fetch_store", Role::pe_fetch_store},
    {Role::pe_gemm, "pe_gemm", Role::pe_gemm},
    {Role::pe_math, "pe_math", Role::pe_math},
    {Role::pe_tcm, "pe_tcm", Role::pe_tcm},
    {Role::pe_mmu, "pe_mmu", Role::pe_mmu},
    {Role::pe_ipcq, "pe_ipcq", Role::pe_ipcq},
    {Role::router, "router", Role::router},
    {Role::m_cpu, "m_cpu", Role::m_cpu},
    {Role::sram, "sram", Role::sram},
    {Role::hbm_ctrl, "hbm_ctrl", Role::hbm_ctrl},
    {Role::hbm_channel, "hbm_channel", Role::router},
    {Role::ucie_port, "ucie_port", Role::router},
    {Role::ucie_conn, "ucie_conn", Role::router},
    {Role::fabric_switch, "switch", Role::router},
    {Role::pcie_ep, "pcie_ep", Role::pcie_ep},
    {Role::ual_ep, "ual_ep", Role::ual_ep},
    {Role::io_cpu, "io_cpu", Role::io_cpu},
    {Role::io_noc, "io_noc", Role::router},
    {Role::io_ucie, "io_ucie", Role::router},
    {Role::io_conn, "io_conn", Role::router},
    {Role::tlm_initiator, "tlm_initiator", Role::tlm_initiator},
    {Role::tlm_target, "tlm_target", Role::tlm_target},
}};

constexpr const RoleInfo& info_of(Role role) { return role_table[static_cast<std::size_t>(role)]; }
constexpr std::string_view name_of(Role role) { return info_of(role).name; }
constexpr Role declared_role(Role role) { return info_of(role).declared; }

constexpr bool role_table_is_in_order() {
  for (std::size_t i = 0; i < role_table.size(); ++i) {
    if (static_cast<std::size_t>(role_table[i].role) != i) return false;
  }
  return true;
}
static_assert(role_table_is_in_order());

}  // namespace kernbench
