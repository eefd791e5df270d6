// The SIPs of any arrangement as one ring, each step to a neighbour.
#pragma once

#include <optional>
#include <vector>

#include "sw/collectives/shipped_graphs.h"

namespace kernbench {

// The SIPs in the order of the ring: a ring as it is; a torus or a mesh along its first row and
// back through the other rows, column by column, up and down. None for a mesh that has no closed
// way round: an odd number of SIPs, or a line of more than two.
std::optional<std::vector<int>> ring_order(const graphs::SipGrid& grid);

}  // namespace kernbench
