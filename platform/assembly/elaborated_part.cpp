#include "platform/assembly/elaborated_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "models/base/errors.h"
#include "platform/topology/node_names.h"
#include "platform/topology/route_finder.h"

namespace kernbench {
namespace {

std::string name_of(const CubeId& cube) { return node_names::cube(cube.sip, cube.cube); }

}  // namespace

// Places of a part: cubes, and SIPs for their nodes outside cubes.
struct ElaboratedPart::Places {
  std::set<int> sips;
  std::set<CubeId> cubes;

  void add(const Location& at) {
    if (at.sip < 0) return;
    sips.insert(at.sip);
    if (at.cube >= 0) cubes.insert({at.sip, at.cube});
  }
  bool has(const Location& at) const {
    if (at.sip < 0) return true;  // the switch and what is attached to it
    return at.cube < 0 ? sips.count(at.sip) > 0 : cubes.count({at.sip, at.cube}) > 0;
  }
};

// Places on the routes of the traffic of some cubes: spec 2.7, 4.1.
class ElaboratedPart::Reachable {
 public:
  Reachable(const Graph& graph, const std::vector<CubeId>& cubes)
      : graph_(graph), routes_(graph), cubes_(cubes) {
    for (const CubeId& cube : cubes_) {
      places_.sips.insert(cube.sip);
      places_.cubes.insert(cube);
    }
    for (const CubeId& cube : cubes_) add_routes_of_host(cube);
    for (const CubeId& from : cubes_) {
      for (const CubeId& to : cubes_) {
        if (!(from == to)) add_routes_between(from, to);
      }
    }
    add_routes_between_sips();
  }

  Places places() && { return std::move(places_); }

 private:
  void add_route(const std::vector<NodeId>& route) {
    for (const NodeId node : route) places_.add(graph_.node(node).at);
  }
  // Node of the IO chiplet that the host uses.
  NodeId io(int sip, const char* component) const {
    return graph_.at(node_names::io(sip, graph_.spec().sip.io_chiplets.front().id, component));
  }
  std::vector<NodeId> nodes_of(const CubeId& cube, bool (*is_wanted)(Role)) const {
    std::vector<NodeId> nodes;
    const auto [first, last] = graph_.with_prefix(name_of(cube) + ".");
    for (NodeId node = first; node < last; ++node) {
      if (is_wanted(graph_.node(node).kind)) nodes.push_back(node);
    }
    return nodes;
  }
  static bool is_memory(Role role) {
    return role == Role::hbm_ctrl || role == Role::sram || role == Role::pe_tcm;
  }
  static bool is_dma(Role role) { return role == Role::pe_dma; }

  void add_routes_of_host(const CubeId& cube) {
    const NodeId pcie_ep = io(cube.sip, "pcie_ep"), io_cpu = io(cube.sip, "io_cpu");
    add_route(routes_.node_path(pcie_ep, io_cpu));
    add_route(routes_.node_path(io_cpu, graph_.at(node_names::m_cpu(cube.sip, cube.cube))));
    for (const NodeId memory : nodes_of(cube, is_memory))
      add_route(routes_.memory_path(pcie_ep, memory));
  }

  bool has_all_cubes_of(int sip) const {
    const auto first = places_.cubes.lower_bound({sip, 0}),
               last = places_.cubes.lower_bound({sip + 1, 0});
    return std::distance(first, last) == graph_.spec().sip.cubes();
  }

  // Accesses and messages of PEs. If SIPs have one IO chiplet, the routes of all PEs of a cube to
  // another SIP pass the same cubes: those of the first PE to the first memory.
  void add_routes_between(const CubeId& from, const CubeId& to) {
    const bool same_sip = from.sip == to.sip;
    if (has_all_cubes_of(from.sip) && (same_sip || has_all_cubes_of(to.sip))) return;
    std::vector<NodeId> sources = nodes_of(from, is_dma), targets = nodes_of(to, is_memory);
    if (!same_sip && graph_.spec().sip.io_chiplets.size() == 1) {
      sources.resize(1);
      targets.resize(1);
    }
    for (const NodeId source : sources) {
      for (const NodeId target : targets) add_route(routes_.memory_path(source, target));
    }
  }

  // Barriers of launches on several SIPs.
  void add_routes_between_sips() {
    const std::set<int> sips = places_.sips;
    for (const int from : sips) {
      for (const int to : sips) {
        if (from != to) add_route(routes_.node_path(io(from, "io_cpu"), io(to, "io_cpu")));
      }
    }
  }

  const Graph& graph_;
  RouteFinder routes_;
  const std::vector<CubeId>& cubes_;
  Places places_;
};

namespace {

bool is_equal(const ComponentSpec& a, const ComponentSpec& b) {
  return a.impl == b.impl && a.attributes.values() == b.attributes.values();
}

// Nodes by role and component; one represents all with equal components.
class NodesByComponent {
 public:
  explicit NodesByComponent(const Graph& graph) : graph_(graph) {}

  void add(NodeId id) {
    const Node& node = graph_.node(id);
    if (first_.try_emplace({node.kind, node.component}, id).second)
      by_role_[node.kind].push_back(id);
  }
  // Node with an equal component; no_node: none.
  NodeId find(const Node& node) {
    const auto [known, is_new] = first_.try_emplace({node.kind, node.component}, no_node);
    if (!is_new) return known->second;
    for (const NodeId each : by_role_[node.kind]) {
      if (is_equal(*graph_.node(each).component, *node.component)) known->second = each;
    }
    return known->second;
  }

 private:
  const Graph& graph_;
  std::map<std::pair<Role, const ComponentSpec*>, NodeId> first_;  // looked up only
  std::map<Role, std::vector<NodeId>> by_role_;                    // one for each component
};

}  // namespace

ElaboratedPart::ElaboratedPart(const Graph& graph, const std::vector<CubeId>& cubes)
    : graph_(&graph), has_(graph.nodes().size(), true) {
  const MachineSpec& spec = graph.spec();
  for (const CubeId& cube : cubes) {
    if (cube.sip < 0 || cube.sip >= spec.system.sips.count || cube.cube < 0 ||
        cube.cube >= spec.sip.cubes())
      throw UsageError(fmt::format("the machine has no {}", name_of(cube)));
    cubes_ += (cubes_.empty() ? "" : ", ") + name_of(cube);
  }
  if (cubes.empty() || !spec.system.tlm_initiators.empty()) return;
  Places places = Reachable(graph, cubes).places();
  while (const std::optional<Location> unlike = take(places)) places.add(*unlike);
}

// Returns the place of a node outside that equals none inside, which has to be added.
std::optional<Location> ElaboratedPart::take(const Places& places) {
  NodesByComponent inside(*graph_);
  is_whole_ = true;
  equals_.assign(has_.size(), no_node);
  for (NodeId node = 0; node < has_.size(); ++node) {
    has_[node] = places.has(graph_->node(node).at);
    if (has_[node]) inside.add(node);
  }
  for (NodeId node = 0; node < has_.size(); ++node) {
    if (has_[node]) continue;
    is_whole_ = false;
    equals_[node] = inside.find(graph_->node(node));
    if (equals_[node] == no_node) return graph_->node(node).at;
  }
  return std::nullopt;
}

void ElaboratedPart::check(NodeId node) const {
  if (has_[node]) return;
  throw UsageError(
      fmt::format("'{}' has not been elaborated: the bench declares that it uses {}; run with "
                  "--elaborate all",
                  graph_->node(node).name, cubes_));
}

}  // namespace kernbench
