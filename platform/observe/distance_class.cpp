#include "platform/observe/distance_class.h"

#include <array>

namespace kernbench {

const char* name_of(DistanceClass distance) {
  constexpr std::array<const char*, distance_class_count> names{"local", "same_cube", "same_sip",
                                                                "other_sip", "host"};
  return names[static_cast<std::size_t>(distance)];
}

DistanceClass distance_of(const Graph& graph, NodeId initiator, NodeId target) {
  const Location& from = graph.node(initiator).at;
  const Location& to = graph.node(target).at;
  if (graph.node(initiator).kind == Role::pcie_ep) return DistanceClass::host;
  if (from.sip != to.sip) return DistanceClass::other_sip;
  if (from.cube != to.cube) return DistanceClass::same_sip;
  return from.pe == to.pe ? DistanceClass::local : DistanceClass::same_cube;
}

}  // namespace kernbench
