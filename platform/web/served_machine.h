// Machine that the viewer shows: its graph, and answers of the API about nodes, links and routes.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/component_registry.h"
#include "platform/assembly/machine_routes.h"
#include "platform/topology/graph.h"
#include "platform/web/machine_views.h"

namespace kernbench {

class ServedMachine {
 public:
  using Json = nlohmann::ordered_json;

  // `registry` outlives this object. `configuration`: the resolved one.
  ServedMachine(std::string title, std::string configuration, MachineSpec spec,
                const ComponentRegistry& registry);

  const std::string& title() const { return title_; }
  const std::string& configuration() const { return configuration_; }
  const Graph& graph() const { return graph_; }

  Json summary() const;  // counts of SIPs, cubes, PEs, nodes, links
  // Attributes and links of a node, a scope ("sip0.cube3") or a link ("a > b", or the name of its
  // module). WebError 404, with the nearest name.
  Json place(const std::string& name) const;
  // Nodes and scopes with `text` in their names: at the start, at the start of a part, elsewhere.
  Json search(const std::string& text, std::size_t most) const;
  Json route(const std::string& from, const std::string& to, std::uint64_t bytes);
  // "only_a", "only_b": outermost scopes and nodes that the other machine lacks, and links between
  // nodes of both that it lacks. "changed": equal changes of one kind of node or link, with
  // "names[]". With their numbers: "*_count"; lists have at most `most` names.
  Json difference(const ServedMachine& other, std::size_t most) const;

  // Blocks and links of a view: scope "" of "system", "sip0" of "sip", "sip0.cube3" of "cube",
  // "sip0.cube3.pe1" of "pe". UsageError: no such instance.
  const MachineViews::Parts& view(const std::string& scope) const;

  // Name of the place that a name in a report means: of a node, a scope, or a link ("a > b", also
  // for the name of its module); "": none.
  std::string place_of(const std::string& name) const;
  // Link by either of its names; null: there is none.
  const Edge* find_link(const std::string& name) const;
  std::string link_name(const Edge& edge) const;  // "a > b"

 private:
  NodeId node_of(const std::string& name) const;
  std::string module_of(const Edge& edge) const;
  bool is_scope(const std::string& name) const;
  bool has(const std::string& name) const { return graph_.find(name) || is_scope(name); }
  std::string outermost_not_in(const ServedMachine& other, const std::string& name) const;
  [[noreturn]] void refuse(const std::string& name) const;
  Json node_json(NodeId id) const;
  Json link_json(const Edge& edge) const;
  Json scope_json(const std::string& name, std::string_view role) const;
  std::vector<std::string> not_in(const ServedMachine& other) const;

  std::string title_, configuration_;
  const ComponentRegistry& registry_;
  Graph graph_;
  FabricEdges edges_;
  std::mutex routes_mutex_;  // routes are built on first use
  MachineRoutes routes_;
  mutable MachineViews views_;
  std::unordered_map<std::string, std::size_t> links_by_module_;  // looked up only
  std::vector<std::string> scopes_;  // "sip0", "sip0.cube0", ..., sorted
};

}  // namespace kernbench
