// Owner of all modules of the machine: creates, binds and destroys scopes, components and links,
// named as in spec 1.1.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/base/component_registry.h"
#include "models/protocol/observation.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/topology/graph.h"

namespace kernbench {

class CreditNetwork;     // models/pe
class FabricNode;        // models/protocol
class Link;              // models/noc
class ProtocolMonitors;  // models/protocol

// Edge of the graph that became a link.
struct LinkInstance {
  LinkInstance(std::size_t edge_index, std::unique_ptr<Link> instance);
  LinkInstance(LinkInstance&& other) noexcept;
  ~LinkInstance();

  std::size_t edge;
  std::unique_ptr<Link> link;
};

class MachineModules {
 public:
  // Creates the modules of a part of the machine. Throws UsageError for an implementation that is
  // unknown or unsuitable for its node. `monitors` checks all connections; null: no checks.
  MachineModules(const Graph& graph, const ElaboratedPart& part, const FabricEdges& edges,
                 const ComponentRegistry& registry, Services& services, ProtocolMonitors* monitors);
  ~MachineModules();  // destroys links, then components, then scopes, each in reverse order of
                      // creation
  MachineModules(const MachineModules&) = delete;
  MachineModules& operator=(const MachineModules&) = delete;

  const std::vector<Component*>& elaborated() const { return elaborated_; }  // by NodeId
  // Null for a node outside the part.
  Component* find_component(NodeId node) const { return components_[node].get(); }
  // Throws UsageError that names a node outside the part.
  Component& component(NodeId node) const {
    if (components_[node] == nullptr) part_.check(node);
    return *components_[node];
  }

  // Virtual channels of the inputs of each node; 0: unlimited buffers, or outside the part.
  std::vector<std::uint32_t> virtual_channels() const;
  // Links in the order of the graph's edges.
  const std::vector<LinkInstance>& links() const { return links_; }

 private:
  void create_components(const ComponentRegistry& registry, Services& services);
  void bind_edges(const FabricEdges& edges, const AnalysisPort<LinkTraversal>& traversals,
                  ProtocolMonitors* monitors);
  FabricNode& fabric_node(NodeId node) const;
  sc_core::sc_module* scope(std::string_view path);

  const Graph& graph_;
  const ElaboratedPart& part_;
  // By full name, which is a part of a node's name; looked up only, never iterated.
  std::unordered_map<std::string_view, sc_core::sc_module*> modules_;
  std::vector<std::unique_ptr<sc_core::sc_module>> scopes_;
  std::vector<std::unique_ptr<Component>> components_;  // by NodeId; null outside the part
  std::vector<FabricNode*> fabric_nodes_;               // by NodeId; null: not one
  std::vector<Component*> elaborated_;
  std::vector<LinkInstance> links_;
  std::unique_ptr<CreditNetwork> credit_network_;
};

// Name of a link without its scope, "sip0.cube0.pe0__to__r0c0"-like, and that scope.
struct LinkName {
  std::string_view scope;
  std::string leaf;
};
LinkName link_name(std::string_view src, std::string_view dst);

}  // namespace kernbench
