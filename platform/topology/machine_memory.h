// Host memory of a machine, estimated from its description before it is built.
#pragma once

#include <cstdint>
#include <string>

#include "platform/config/machine_spec.h"

namespace kernbench {

struct MachineMemory {
  std::uint64_t pes = 0, nodes = 0, links = 0, pseudo_channels = 0;

  // Computed from measured sizes of nodes, links and pseudo-channels (tests/perf/figures.md).
  std::uint64_t bytes() const;
  std::string str() const;  // "4335 nodes, 7548 links and 2048 pseudo-channels"
};

// Same counts as build_graph(): nodes, and edges other than pe_internal ones.
MachineMemory machine_memory(const MachineSpec& machine);

}  // namespace kernbench
