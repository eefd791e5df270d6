// Parts of a machine: its cubes, its SIPs and the fabric between them.
//
// SIPs, and cubes, of one machine have the same template; only modules attached to one of them
// (spec 2.1) make it differ. Parts of one shape have the same routes, but for the offset of their
// node ids. SIPs are joined at the switch alone, so a path between two of them passes it once.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

// Contiguous nodes, [first, last).
struct MachinePart {
  NodeId first = 0, last = 0;
  NodeId shape = 0;  // first node of the first part of the same shape

  bool contains(NodeId node) const { return node >= first && node < last; }
};

class MachineParts {
 public:
  explicit MachineParts(const Graph& graph);

  // Nodes of no SIP, if `at.sip` is -1.
  const MachinePart& sip_of(const Location& at) const {
    return sips_[static_cast<std::size_t>(at.sip + 1)];
  }
  // For a node in a cube.
  const MachinePart& cube_of(const Location& at) const {
    return cubes_[static_cast<std::size_t>(at.sip)][static_cast<std::size_t>(at.cube)];
  }
  // The node that joins the SIPs.
  NodeId border() const { return border_; }

 private:
  bool same_shape(const MachinePart& a, const MachinePart& b, bool of_cubes) const;
  bool same_edges(NodeId a, const MachinePart& of_a, NodeId b, const MachinePart& of_b) const;
  void find_shape(MachinePart& part, std::vector<const MachinePart*>& shapes, bool of_cubes) const;

  const Graph& graph_;
  NodeId border_;
  std::vector<MachinePart> sips_;                // [SIP + 1]
  std::vector<std::vector<MachinePart>> cubes_;  // [SIP][cube]
};

}  // namespace kernbench
