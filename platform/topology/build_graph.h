// MachineSpec -> Graph.
#pragma once

#include "platform/topology/graph.h"

namespace kernbench {

// Lays out the cube, keeps the layout in cube_mesh.yaml beside the topology file (if the spec was
// loaded from one), and builds the machine.
Graph build_graph(MachineSpec spec);

}  // namespace kernbench
