// Edges of the graph as the fabric uses them: which become links, their output port at the source,
// and their length.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "platform/assembly/elaborated_part.h"
#include "platform/topology/graph.h"

namespace kernbench {

enum class EdgeBinding : std::uint8_t {
  link,      // a Link between two fabric sockets
  direct,    // fabric sockets bound directly: pe_dma <-> pe_tcm without length and bandwidth
             // (spec 2.3)
  internal,  // tasks and services between engines of a PE; outside the fabric
};

class FabricEdges {
 public:
  // `part`: null: the whole machine; outlives this object.
  explicit FabricEdges(const Graph& graph, const ElaboratedPart* part = nullptr);

  struct Edge {
    EdgeBinding binding = EdgeBinding::internal;
    std::uint16_t out_port =
        0;  // port of the source, by ascending destination; meaningless if internal
    Fs propagation_fs = 0;
    Rational bw_gbs;            // 0 = unlimited
    bool is_elaborated = true;  // false: an end is outside the part; without a port
  };
  const Edge& operator[](std::size_t graph_edge) const { return edges_[graph_edge]; }
  // Throws UsageError that names a node outside the part.
  void check(NodeId node) const {
    if (part_ != nullptr) part_->check(node);
  }

 private:
  const ElaboratedPart* part_;
  std::vector<Edge> edges_;
};

}  // namespace kernbench
