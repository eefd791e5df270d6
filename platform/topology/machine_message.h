// A memory message of this machine as the arithmetic of models/timing takes it: overheads, stores
// and bursts out of the attributes.
#pragma once

#include <cstdint>

#include "models/protocol/path.h"
#include "platform/topology/graph.h"
#include "platform/topology/memory_message.h"

namespace kernbench {

// The node can start a transfer (pe_dma, pcie_ep); can be one's target (hbm_ctrl, sram, pe_tcm).
bool starts_transfers(const Node& node);
bool is_memory(const Node& node);

// `path` is the request's: from a node that starts transfers to a memory. A pcie_ep's writes are
// posted. Attributes that a replaced implementation does not declare count as nothing.
MemoryMessage machine_message(const Graph& graph, const Path& path, bool write,
                              std::uint64_t offset, std::uint64_t bytes);

}  // namespace kernbench
