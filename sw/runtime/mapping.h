// Mapping: address translation of a tensor for PEs, and the messages that install and remove it:
// pages of the MMU (address model VA) or segments of the BAAW (LA). Both are sent to every target
// PE and take simulated time (spec 3.3).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/runtime/host_link.h"

namespace kernbench {

// Pieces of the tensor, each contiguous in one PE's memory, with the PEs that can address them.
struct Mapping {
  std::vector<MmuEntry> entries;
  std::vector<PeId> targets;
};

// Converts a piece to a segment of the machine's hbm_mapping_mode.
BaawSegment segment_of(const MachineDescription& machine, const MmuEntry& entry);

std::shared_ptr<HostRequest> submit_map(HostLink& link, const Mapping& mapping,
                                        const std::string& tensor);
std::shared_ptr<HostRequest> submit_unmap(HostLink& link, const Mapping& mapping,
                                          const std::string& tensor);

}  // namespace kernbench
