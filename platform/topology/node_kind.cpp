#include "platform/topology/node_kind.h"

#include <array>

namespace kernbench {
namespace {

struct Kind {
  std::string_view name;
  Role role;
};

constexpr std::array<Kind, node_kinds> kinds{
    {{"switch", Role::router},     {"pcie_ep", Role::pcie_ep},
     {"ual_ep", Role::ual_ep},     {"io_cpu", Role::io_cpu},
     {"io_noc", Role::router},     {"io_ucie", Role::router},
     {"io_conn", Role::router},    {"router", Role::router},
     {"m_cpu", Role::m_cpu},       {"sram", Role::sram},
     {"hbm_ctrl", Role::hbm_ctrl}, {"hbm_channel", Role::router},
     {"ucie_port", Role::router},  {"ucie_conn", Role::router},
     {"pe_cpu", Role::pe_cpu},     {"pe_scheduler", Role::pe_scheduler},
     {"pe_dma", Role::pe_dma},     {"pe_fetch_store", Role::pe_fetch_store},
     {"pe_gemm", Role::pe_gemm},   {"pe_math", Role::pe_math},
     {"pe_tcm", Role::pe_tcm},     {"pe_mmu", Role::pe_mmu},
     {"pe_ipcq", Role::pe_ipcq},   {"tlm_initiator", Role::tlm_initiator}}};

}  // namespace

std::string_view name_of(NodeKind kind) { return kinds[static_cast<std::size_t>(kind)].name; }

Role role_of(NodeKind kind) { return kinds[static_cast<std::size_t>(kind)].role; }

}  // namespace kernbench
