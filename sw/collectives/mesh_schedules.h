// Of lrab_hierarchical_allreduce (spec 8.2, ADR-0032): the way to the root cube of a SIP, and the
// exchange between the root cubes. One block.
#pragma once

#include "sw/collectives/shipped_graphs.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench::schedules {

// A cube in the rectangle of those that take part, counted from its corner.
struct CubePosition {
  int x = 0, y = 0;
  int w = 1, h = 1;
  int root_x = 0, root_y = 0;
};

// Rows lead to the root's column (E left of it, W right of it), that column to the root (S above, N
// below).
TreePosition mesh_to_root(const CubePosition& place);

// All SIPs have the sum of all. ring_1d: n - 1 rounds of sending E first the own sum, then what
// came, and adding what comes from the W; torus_2d: so along rows, then along columns (S, N);
// mesh_2d_no_wrap: in each dimension a chain to coordinate 0 and a chain back.
Schedule sip_exchange(const graphs::SipGrid& grid, int rank);

}  // namespace kernbench::schedules
