// Shipped neighbour graphs (spec 8.1). Pure functions of extents; an invalid extent is a
// UsageError. `sip` is a number, or this_device (neighbour_graph.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/collectives/neighbour_graph.h"

namespace kernbench::graphs {

// Rectangle of cubes of a SIP, which are numbered y * mesh_w + x.
struct CubeRectangle {
  int x = 0, y = 0;
  int w = 1, h = 1;
};

// N, S, E, W between the cubes of a rectangle, without wrap. Lanes: the participating PEs of each
// cube; PE p communicates with PE p.
NeighbourGraph cube_mesh(int sip, int mesh_w, const CubeRectangle& cubes,
                         const std::vector<int>& lanes = {0});

// The PEs of a cube as two rows, 0..n/2-1 and n/2..n-1: intra_E is the next one in the row, intra_S
// the same column of the other row, intra_W and intra_N the opposite directions; without wrap. An
// even number of PEs.
NeighbourGraph intra_mesh(int sip, int cube, int pes);

// E and W along the PEs of a cube; wraps.
NeighbourGraph intra_pe_ring(int sip, int cube, int pes);

// E and W along a list of cubes of a SIP; wraps.
NeighbourGraph cube_ring(int sip, const std::vector<int>& cubes,
                         const std::vector<int>& lanes = {0});

// SIPs as the machine arranges them. SIP r is at (r mod w, r div w); a ring has one row.
struct SipGrid {
  std::string topology = "ring_1d";  // ring_1d, torus_2d, mesh_2d_no_wrap
  int sips = 1;
  int w = 1, h = 1;  // extents of 2-D topologies
};
// PE that each SIP has.
struct CubePe {
  int cube = 0;
  int pe = 0;
};

// global_E, global_W and, in two dimensions, global_N, global_S between the same PEs of
// neighbouring SIPs. A dimension of length 1 has no neighbours; of length 2 (with wrap) both
// directions lead to the same peer.
NeighbourGraph sip(const SipGrid& grid, const std::vector<CubePe>& members);

// SIPs of any arrangement in the order of one ring, each step to a neighbour. A ring is unchanged;
// a torus or a mesh is traversed along its first row and back through the other rows, column by
// column, up and down. None for a mesh without a Hamiltonian cycle: an odd number of SIPs, or a
// line of more than two.
std::optional<std::vector<int>> ring_order(const SipGrid& grid);

}  // namespace kernbench::graphs
