// HolderTree: the PEs of a rank that hold the same part of its tensor (copies or partial sums of
// it), as a tree that performs a reduction between ranks once per part: partial sums are added on
// the way to the root, the roots of the ranks exchange, and the result is broadcast to all holders.
// A part with one holder needs no tree; a single rank with copies needs no operation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sw/collectives/collective_call.h"
#include "sw/collectives/neighbour_graph.h"
#include "sw/collectives/tree_schedules.h"

namespace kernbench {

class HolderTree {
 public:
  // Topology that joins holders: first the PEs of each cube, then the cubes.
  enum class Form : std::uint8_t {
    mesh,  // PEs in a line; cubes along rows and columns to a root cube, by default the middle one;
           // cubes that form no rectangle in a line
    rings,  // both in rings, folded at PE 0 and cube 0
  };

  HolderTree(const CollectiveCall& call, Form form, std::optional<int> root_cube = {});

  // Queue pairs within all ranks.
  NeighbourGraph graph() const;
  // Call as the ranks' roots perform it: no part has several holders.
  CollectiveCall between_roots(CollectiveCall call) const;
  // Queue pairs within all ranks, and those of the roots as `between_ranks` joins them.
  NeighbourGraph graph(
      const CollectiveCall& call,
      const std::function<NeighbourGraph(const CollectiveCall&)>& between_ranks) const;

  // Schedule of a holder on `blocks` blocks, before and after the exchange of the roots.
  Schedule sum_up(PeId holder, int blocks = 1) const;
  Schedule hand_down(PeId holder, int blocks = 1) const;
  // Both, with the exchange of the root in between.
  Schedule around(PeId holder, const Schedule& exchange, int blocks = 1) const;
  // Schedule if the ranks exchange along their own tree: one block, message by message through all
  // levels.
  Schedule through(PeId holder, const schedules::TreePosition& between_ranks) const;

  bool is_root(PeId holder) const;
  bool shared() const { return pes_.shared() || cubes_.shared(); }  // parts have several holders

 private:
  // Level of the tree: the PEs of a cube, or the cubes.
  struct Level {
    std::vector<int> members;
    Holding holding = Holding::parts;
    int root = 0;  // one of the members

    bool shared() const { return holding != Holding::parts; }
    bool sums() const { return holding == Holding::partial_sums; }
    bool represents(int member) const { return !shared() || member == root; }
    int index(int member) const;
  };
  schedules::TreePosition among_pes(int pe) const;
  schedules::TreePosition among_cubes(int cube) const;
  schedules::TreePosition way_up(PeId holder) const;    // for partial sums
  schedules::TreePosition way_down(PeId holder) const;  // for the result

  Form form_;
  std::vector<int> sips_;  // SIPs of the ranks
  int mesh_w_ = 1;
  Level pes_, cubes_;
  std::optional<graphs::CubeRectangle> rectangle_;
  ShardLayout roots_;
};

}  // namespace kernbench
