#include "platform/traffic/traffic_nodes.h"

#include <algorithm>

namespace kernbench {

bool is_traffic_initiator(const Platform& platform, NodeId node) {
  const Role kind = platform.graph().node(node).kind;
  return kind == Role::pe_dma || kind == Role::pcie_ep;
}

bool is_traffic_target(const Platform& platform, NodeId node) {
  const Role kind = platform.graph().node(node).kind;
  return kind == Role::hbm_ctrl || kind == Role::sram || kind == Role::pe_tcm;
}

std::uint64_t traffic_capacity(const Platform& platform, NodeId target) {
  switch (platform.graph().node(target).kind) {
    case Role::sram:
      return platform.machine().sram_bytes;
    case Role::pe_tcm:
      return platform.machine().tcm_bytes;
    default:
      return platform.machine().hbm_slice_bytes;
  }
}

std::uint64_t physical_address(const Platform& platform, NodeId target, std::uint64_t offset) {
  const Node& node = platform.graph().node(target);
  const MemoryArea area = node.kind == Role::sram     ? MemoryArea::cube_sram
                          : node.kind == Role::pe_tcm ? MemoryArea::pe_tcm
                                                      : MemoryArea::hbm;
  const auto index = [](int value) { return static_cast<unsigned>(std::max(value, 0)); };
  return platform.address_map()
      .address_of({area, index(node.at.sip), index(node.at.cube), index(node.at.pe), offset})
      .encode();
}

NodeId own_hbm(const Platform& platform, NodeId initiator) {
  const Location& at = platform.graph().node(initiator).at;
  return platform.machine().hbm({at.sip, std::max(at.cube, 0), std::max(at.pe, 0)});
}

}  // namespace kernbench
