// MachineSpec -> Graph.
#pragma once

#include "platform/topology/graph.h"

namespace kernbench {

// Lays out the cube, stores the layout in cube_mesh.yaml next to the topology file (if the spec was
// loaded from one), and builds the machine.
Graph build_graph(MachineSpec spec);

// Nodes alone, in no order; each component is that of its kind, a member of the machine. Throws
// std::overflow_error if coordinates cannot be computed exactly.
std::vector<Node> nodes_of(const MachineSpec& machine);

}  // namespace kernbench
