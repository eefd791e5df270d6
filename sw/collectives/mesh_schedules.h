// Schedules of lrab_hierarchical_allreduce (spec 8.2, ADR-0032): path to the root cube of a SIP,
// and exchange between the root cubes. One block.
#pragma once

#include "sw/collectives/shipped_graphs.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench::schedules {

// Position of a cube in the rectangle of the participating cubes, counted from its corner.
struct CubePosition {
  int x = 0, y = 0;
  int w = 1, h = 1;
  int root_x = 0, root_y = 0;
};

// Rows lead to the root's column (E left of it, W right of it); that column leads to the root (S
// above, N below).
TreePosition mesh_to_root(const CubePosition& place);

// All SIPs obtain the sum of all. ring_1d: n - 1 rounds that send E, first the own sum, then the
// received value, and add the value from W. torus_2d: the same along rows, then along columns (S,
// N). mesh_2d_no_wrap: in each dimension a chain to coordinate 0 and a chain back.
Schedule sip_exchange(const graphs::SipGrid& grid, int rank);

}  // namespace kernbench::schedules
