// Initiators and targets of traffic, and the capacity of the targets.
#pragma once

#include "platform/assembly/platform.h"

namespace kernbench {

bool is_traffic_initiator(const Platform& platform, NodeId node);  // a pe_dma or pcie_ep
// An hbm_ctrl.peN, sram, pe_tcm or plain TLM-2.0 target.
bool is_traffic_target(const Platform& platform, NodeId node);
std::uint64_t traffic_capacity(const Platform& platform, NodeId target);  // bytes
std::uint64_t physical_address(const Platform& platform, NodeId target, std::uint64_t offset);

// The HBM partition of a pe_dma's PE; of a pcie_ep, the first of its SIP.
NodeId own_hbm(const Platform& platform, NodeId initiator);

}  // namespace kernbench
