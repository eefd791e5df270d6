// TransferPath: where a memory transfer spent its time, interval by interval from its issue to its
// end, and the part of the latency that each interval belongs to (spec 11.3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/observe/latency_parts.h"
#include "platform/topology/graph.h"

namespace kernbench {

// A node or a link of the graph.
struct FabricPlace {
  enum class Kind : std::uint8_t { node, link };
  Kind kind = Kind::node;
  std::uint32_t index = no_node;  // NodeId, or index in Graph::edges()

  static FabricPlace node(NodeId id) { return {Kind::node, id}; }
  static FabricPlace link(std::size_t edge) {
    return {Kind::link, static_cast<std::uint32_t>(edge)};
  }
  friend bool operator==(FabricPlace a, FabricPlace b) {
    return a.kind == b.kind && a.index == b.index;
  }
  friend bool operator!=(FabricPlace a, FabricPlace b) { return !(a == b); }
};
const char* name_of(FabricPlace::Kind kind);  // "node", "link"
// "sip0.cube0.r0c0"; a link has the name of its module: "sip0.cube0.r0c0__to__r0c1".
std::string name_of(FabricPlace place, const Graph& graph);
// Role of the node, "router", or kind of the edge, "router_mesh".
std::string_view kind_name(FabricPlace place, const Graph& graph);

struct TransferPath {
  struct Interval {
    FabricPlace place;
    LatencyPart part = LatencyPart::noc;
    Fs start = 0, end = 0;
    Fs time() const { return end - start; }
  };

  Fs issue = 0, end = 0;
  // By time, without gaps from `issue` to `end`. Neighbours differ in place or part.
  std::vector<Interval> intervals;

  LatencyParts parts() const;
};

}  // namespace kernbench
