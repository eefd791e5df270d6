// Machine as a graph: nodes sorted by name in byte order (NodeId = index), directed edges sorted by
// (src, dst).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/component.h"
#include "platform/config/machine_spec.h"
#include "platform/topology/cube_mesh.h"

namespace kernbench {

enum class EdgeKind : std::uint8_t {
  pe_internal,
  pe_to_router,
  router_mesh,
  router_to_hbm,
  router_to_mcpu,
  router_to_sram,
  command,
  ucie_internal,
  router_to_ucie_conn,
  ucie_conn_to_router,
  ucie_mesh,
  io_internal,
  io_to_cube,
  cube_to_io,
  pcie,
  ual,
  router_to_tlm
};
std::string_view name_of(EdgeKind kind);

// Location of a node; -1 = not inside one. `io` is the position in sip.io_chiplets; `row` and `col`
// are set for routers.
struct Location {
  int sip = -1, cube = -1, pe = -1, io = -1, row = -1, col = -1;
};

struct Node {
  std::string name;
  Role kind = Role::router;
  Rational x_mm, y_mm;  // within the SIP: cube (x, y) starts at x * (cube width + seam); IO
                        // chiplets surround the cubes
  Location at;
  const ComponentSpec* component = nullptr;  // owned by the graph's MachineSpec

  const std::string& impl() const { return component->impl; }
  const Attributes& attributes() const { return component->attributes; }
};

struct Edge {
  NodeId src = no_node, dst = no_node;
  EdgeKind kind = EdgeKind::router_mesh;
  std::optional<Rational> bw_gbs;  // absent: unlimited
  Rational distance_mm;
  Rational routing_weight_mm;
};

class Graph {
 public:
  Graph(std::shared_ptr<const MachineSpec> spec, CubeMesh mesh, std::vector<Node> nodes,
        std::vector<Edge> edges);

  const MachineSpec& spec() const { return *spec_; }
  const CubeMesh& mesh() const { return mesh_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; }
  const Node& node(NodeId id) const { return nodes_[id]; }

  std::optional<NodeId> find(std::string_view name) const;
  NodeId at(std::string_view name)
      const;  // throws RoutingError: "no node 'sip9.io0.pcie_ep' in this machine"
  // Outgoing edges of a node: indices [first, second) of edges().
  std::pair<std::size_t, std::size_t> out_edges(NodeId id) const {
    return {first_edge_[id], first_edge_[id + 1]};
  }
  const Edge* find_edge(NodeId src, NodeId dst) const;  // null if there is none
  // Nodes whose names start with `prefix`: contiguous, [first, second).
  std::pair<NodeId, NodeId> with_prefix(std::string_view prefix) const;

 private:
  std::shared_ptr<const MachineSpec> spec_;
  CubeMesh mesh_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_edge_;
};

}  // namespace kernbench
