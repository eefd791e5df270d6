#include "platform/traffic/traffic_nodes.h"

#include <algorithm>

namespace kernbench {

bool is_traffic_initiator(const Platform& platform, NodeId node) {
  const NodeKind kind = platform.graph().node(node).kind;
  return kind == NodeKind::pe_dma || kind == NodeKind::pcie_ep;
}

bool is_traffic_target(const Platform& platform, NodeId node) {
  const NodeKind kind = platform.graph().node(node).kind;
  return kind == NodeKind::hbm_ctrl || kind == NodeKind::sram || kind == NodeKind::pe_tcm;
}

std::uint64_t traffic_capacity(const Platform& platform, NodeId target) {
  switch (platform.graph().node(target).kind) {
    case NodeKind::sram:
      return platform.machine().sram_bytes();
    case NodeKind::pe_tcm:
      return platform.machine().tcm_bytes();
    default:
      return platform.machine().hbm_slice_bytes();
  }
}

NodeId own_hbm(const Platform& platform, NodeId initiator) {
  const Location& at = platform.graph().node(initiator).at;
  return platform.machine().hbm({at.sip, std::max(at.cube, 0), std::max(at.pe, 0)});
}

}  // namespace kernbench
