// Distance class of a transfer, by its initiator and target.
#pragma once

#include <cstdint>

#include "platform/topology/graph.h"

namespace kernbench {

enum class DistanceClass : std::uint8_t { local, same_cube, same_sip, other_sip, host };
inline constexpr int distance_class_count = 5;
const char* name_of(DistanceClass distance);
// local: the initiating PE's own HBM partition or TCM. host: a pcie_ep initiates, wherever the
// target is.
DistanceClass distance_of(const Graph& graph, NodeId initiator, NodeId target);

}  // namespace kernbench
