// Every module of the machine: scopes, components and wires, named as spec 1.1 says, created, bound and destroyed here.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/component_registry.h"
#include "models/noc/wire.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/topology/graph.h"

namespace kernbench {

class FabricNode;

class MachineModules {
 public:
  // Throws UsageError for an implementation that is unknown, or that cannot stand where it is used.
  MachineModules(const Graph& graph, const FabricEdges& edges, const ComponentRegistry& registry, Services& services);
  ~MachineModules();  // wires, then components, then scopes, each the last made first
  MachineModules(const MachineModules&) = delete;
  MachineModules& operator=(const MachineModules&) = delete;

  Component& component(NodeId node) const { return *components_[node]; }

  // One entry per edge that became a wire, in the order of the graph's edges.
  struct EdgeWire {
    std::size_t edge;
    std::unique_ptr<Wire> wire;
  };
  const std::vector<EdgeWire>& wires() const { return wires_; }

 private:
  void create_components(const ComponentRegistry& registry, Services& services);
  void bind_edges(const FabricEdges& edges);
  FabricNode& fabric_node(NodeId node) const;
  sc_core::sc_module* scope(std::string_view path);

  const Graph& graph_;
  std::map<std::string, sc_core::sc_module*, std::less<>> modules_;  // by full name
  std::vector<std::unique_ptr<sc_core::sc_module>> scopes_;
  std::vector<std::unique_ptr<Component>> components_;
  std::vector<EdgeWire> wires_;
};

// "sip0.cube0.pe0__to__r0c0"-like: the name of a wire without its scope, and that scope.
struct WireName {
  std::string_view scope;
  std::string leaf;
};
WireName wire_name(std::string_view src, std::string_view dst);

}  // namespace kernbench
