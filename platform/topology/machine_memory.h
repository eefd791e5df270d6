// Host memory that a machine takes, from its description, before anything of it is built.
#pragma once

#include <cstdint>
#include <string>

#include "platform/config/machine_spec.h"

namespace kernbench {

struct MachineMemory {
  std::uint64_t pes = 0, nodes = 0, links = 0, pseudo_channels = 0;

  // From the measured sizes of nodes, links and pseudo-channels (tests/perf/figures.md).
  std::uint64_t bytes() const;
  std::string str() const;  // "4335 nodes, 7548 links and 2048 pseudo-channels"
};

// Counted as build_graph() makes them: nodes and the edges that are no pe_internal ones.
MachineMemory machine_memory(const MachineSpec& machine);

}  // namespace kernbench
