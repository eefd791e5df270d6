#include "platform/observe/transfer_path.h"

#include "platform/assembly/machine_modules.h"

namespace kernbench {

const char* name_of(FabricPlace::Kind kind) {
  return kind == FabricPlace::Kind::node ? "node" : "link";
}

std::string name_of(FabricPlace place, const Graph& graph) {
  if (place.kind == FabricPlace::Kind::node) return graph.node(place.index).name;
  const Edge& edge = graph.edges()[place.index];
  const LinkName name = link_name(graph.node(edge.src).name, graph.node(edge.dst).name);
  return name.scope.empty() ? name.leaf : std::string(name.scope) + '.' + name.leaf;
}

std::string_view kind_name(FabricPlace place, const Graph& graph) {
  return place.kind == FabricPlace::Kind::node ? name_of(graph.node(place.index).kind)
                                               : name_of(graph.edges()[place.index].kind);
}

LatencyParts TransferPath::parts() const {
  LatencyParts parts;
  for (const Interval& interval : intervals) parts[interval.part] += interval.time();
  return parts;
}

}  // namespace kernbench
