// Routing regions of a machine: its cubes, its SIPs and the fabric between them.
//
// SIPs, and cubes, of one machine have the same template; only modules attached to one of them
// (spec 2.1) make it differ. Regions of one shape have the same routes, but for the offset of their
// node ids. SIPs are joined at the switch alone, so a path between two of them passes it once.
#pragma once

#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

// Contiguous nodes, [first, last).
struct RoutingRegion {
  NodeId first = 0, last = 0;
  NodeId shape = 0;  // first node of the first region of the same shape

  bool contains(NodeId node) const { return node >= first && node < last; }
};

class RoutingRegions {
 public:
  explicit RoutingRegions(const Graph& graph);

  // Region of the SIP, or of the nodes of no SIP if `at.sip` is -1.
  const RoutingRegion& sip_of(const Location& at) const {
    return sips_[static_cast<std::size_t>(at.sip + 1)];
  }
  // Region of the cube; the location is in one.
  const RoutingRegion& cube_of(const Location& at) const {
    return cubes_[static_cast<std::size_t>(at.sip)][static_cast<std::size_t>(at.cube)];
  }
  // Node that joins the SIPs.
  NodeId border() const { return border_; }

 private:
  bool same_shape(const RoutingRegion& a, const RoutingRegion& b, bool of_cubes) const;
  bool same_edges(NodeId a, const RoutingRegion& of_a, NodeId b, const RoutingRegion& of_b) const;
  void find_shape(RoutingRegion& region, std::vector<const RoutingRegion*>& shapes,
                  bool of_cubes) const;

  const Graph& graph_;
  NodeId border_;
  std::vector<RoutingRegion> sips_;                // [SIP + 1]
  std::vector<std::vector<RoutingRegion>> cubes_;  // [SIP][cube]
};

}  // namespace kernbench
