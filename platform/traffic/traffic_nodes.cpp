#include "platform/traffic/traffic_nodes.h"

#include <algorithm>

#include "platform/topology/graph.h"

namespace kernbench {

bool is_traffic_initiator(const Platform& platform, NodeId node) {
  const Role kind = platform.graph().node(node).kind;
  return kind == Role::pe_dma || kind == Role::pcie_ep;
}

bool is_traffic_target(const Platform& platform, NodeId node) {
  const Role kind = platform.graph().node(node).kind;
  return kind == Role::hbm_ctrl || kind == Role::sram || kind == Role::pe_tcm ||
         kind == Role::tlm_target;
}

std::uint64_t traffic_capacity(const Platform& platform, NodeId target) {
  const auto range = platform.machine().memory_map.range_of(target);
  return range ? range->nbytes : 0;
}

std::uint64_t physical_address(const Platform& platform, NodeId target, std::uint64_t offset) {
  return platform.machine().memory_map.range_of(target)->base + offset;
}

NodeId own_hbm(const Platform& platform, NodeId initiator) {
  const Location& at = platform.graph().node(initiator).at;
  return platform.machine().hbm({at.sip, std::max(at.cube, 0), std::max(at.pe, 0)});
}

}  // namespace kernbench
