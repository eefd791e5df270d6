// MachineSpec -> Graph.
#pragma once

#include "platform/topology/graph.h"

namespace kernbench {

// Lays out the cube, keeps the layout in cube_mesh.yaml beside the topology file (if the spec was
// loaded from one), and builds the machine.
Graph build_graph(MachineSpec spec);

// The nodes alone, in no order; each component is that of its kind, a member of the machine. Throws
// std::overflow_error if places cannot be computed exactly.
std::vector<Node> nodes_of(const MachineSpec& machine);

}  // namespace kernbench
