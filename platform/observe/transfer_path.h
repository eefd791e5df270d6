// TransferPath: intervals of a memory transfer from its issue to its end, and the part of the
// latency that each belongs to (spec 11.3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.h"
#include "platform/topology/graph.h"

namespace kernbench {

// --- Parts of a transfer's latency (spec 11.3)

enum class LatencyPart : std::uint8_t { pe_setup, noc, ucie, fabric, link, hbm, contention };
inline constexpr std::size_t latency_part_count = 7;
const char* name_of(LatencyPart part);     // "pe_setup", ...
const char* meaning_of(LatencyPart part);  // one line
// Description of --breakdown for --help.
std::string latency_parts_help();

// Part of a node's overhead, or of the propagation of a link.
LatencyPart part_of(Role kind);
LatencyPart part_of(EdgeKind kind);

class LatencyParts {
 public:
  Fs& operator[](LatencyPart part) { return parts_[static_cast<std::size_t>(part)]; }
  Fs operator[](LatencyPart part) const { return parts_[static_cast<std::size_t>(part)]; }
  Fs total() const {
    Fs sum = 0;
    for (const Fs part : parts_) sum += part;
    return sum;
  }
  LatencyParts& operator+=(const LatencyParts& other) {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i] += other.parts_[i];
    return *this;
  }

 private:
  std::array<Fs, latency_part_count> parts_{};
};

// Node or link of the graph.
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
  // Intervals by time, without gaps from `issue` to `end`. Neighbours differ in place or part.
  std::vector<Interval> intervals;

  LatencyParts parts() const;
};

// --- Distance of a transfer, by its initiator and target

enum class DistanceClass : std::uint8_t { local, same_cube, same_sip, other_sip, host };
inline constexpr int distance_class_count = 5;
const char* name_of(DistanceClass distance);
// local: the initiating PE's own HBM partition or TCM. host: a pcie_ep initiates, for any target.
DistanceClass distance_of(const Graph& graph, NodeId initiator, NodeId target);

}  // namespace kernbench
