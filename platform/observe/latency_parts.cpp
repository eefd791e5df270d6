#include "platform/observe/latency_parts.h"

namespace kernbench {

const char* name_of(LatencyPart part) {
  constexpr std::array<const char*, latency_part_count> names{"pe_setup", "noc", "ucie", "fabric", "wire", "hbm", "contention"};
  return names[static_cast<std::size_t>(part)];
}

LatencyPart part_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::ucie_port:
    case NodeKind::ucie_conn:
    case NodeKind::io_ucie:
    case NodeKind::io_conn:
      return LatencyPart::ucie;
    case NodeKind::fabric_switch:
    case NodeKind::pcie_ep:
    case NodeKind::ual_ep:
    case NodeKind::io_noc:
    case NodeKind::io_cpu:
      return LatencyPart::fabric;
    case NodeKind::hbm_ctrl:
    case NodeKind::hbm_channel:
    case NodeKind::sram:
    case NodeKind::pe_tcm:
      return LatencyPart::hbm;
    default:
      return LatencyPart::noc;
  }
}

LatencyPart part_of(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::ucie_internal:
    case EdgeKind::router_to_ucie_conn:
    case EdgeKind::ucie_conn_to_router:
    case EdgeKind::ucie_mesh:
    case EdgeKind::io_to_cube:
    case EdgeKind::cube_to_io:
      return LatencyPart::ucie;
    case EdgeKind::io_internal:
    case EdgeKind::pcie:
    case EdgeKind::ual:
      return LatencyPart::fabric;
    default:
      return LatencyPart::noc;
  }
}

}  // namespace kernbench
