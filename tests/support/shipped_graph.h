// Graphs of the shipped topologies with overrides, which leave no cache file behind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/topology/build_graph.h"
#include "platform/topology/load_machine.h"

namespace kernbench::test {

// "topology.tiny.yaml" is in configs/; an absolute path is taken as it is.
inline std::string topology_path(const std::string& topology) {
  return topology.front() == '/' ? topology
                                 : std::string(KERNBENCH_SOURCE_DIR) + "/configs/" + topology;
}

inline MachineSpec shipped_spec(const std::string& topology, const std::vector<Override>& overrides,
                                const ComponentRegistry& registry) {
  MachineSpec spec = load_machine(topology_path(topology), overrides, registry);
  spec.source_path.clear();
  return spec;
}

inline Graph shipped_graph(const std::string& topology, const std::vector<Override>& overrides,
                           const ComponentRegistry& registry) {
  return build_graph(shipped_spec(topology, overrides, registry));
}

// Names of the nodes, joined by '>'.
inline std::string names(const Graph& graph, const std::vector<NodeId>& path) {
  std::string text;
  for (const NodeId id : path) text += (text.empty() ? "" : ">") + graph.node(id).name;
  return text;
}

}  // namespace kernbench::test
