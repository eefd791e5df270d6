// Collects nodes and edges in any order and sorts them into a Graph.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::shared_ptr<const MachineSpec> spec) : spec_(std::move(spec)) {}
  const MachineSpec& spec() const { return *spec_; }

  // `component`: that of the kind; an instance override replaces it. Returns a handle for
  // connect().
  std::size_t add(std::string name, Role kind, const ComponentSpec& component, const PointMm& at,
                  Location location);

  struct Link {
    std::optional<Rational> bw_gbs;
    Rational distance_mm;
    std::optional<Rational> routing_weight_mm;  // absent: distance_mm
  };
  void connect(std::size_t src, std::size_t dst, EdgeKind kind, const Link& link);
  void connect_both(std::size_t a, std::size_t b, EdgeKind kind, const Link& link);
  void connect_both(std::size_t a, std::size_t b, EdgeKind a_to_b, EdgeKind b_to_a,
                    const Link& link);

  // Handle of an existing node; throws RoutingError if there is none of this name.
  std::size_t handle(std::string_view name) const;
  const Node& node(std::size_t handle) const { return nodes_[handle]; }

  Graph finish(CubeMesh mesh);
  std::vector<Node> nodes() && { return std::move(nodes_); }

 private:
  std::shared_ptr<const MachineSpec> spec_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

// Parts of a machine, each in its own file. Handles of the nodes that other parts connect to.
struct CubeHandles {
  std::array<std::size_t, 4> ucie_port{};  // [index in ucie_sides]
};
CubeHandles add_cube(GraphBuilder& builder, const CubeMesh& mesh, int sip, int cube);
struct IoChipletHandles {
  std::size_t pcie_ep = 0;
  std::optional<std::size_t> ual_ep;
};
IoChipletHandles add_io_chiplet(GraphBuilder& builder, const IoChipletSpec& chiplet, int index,
                                int sip, const std::vector<CubeHandles>& cubes);

}  // namespace kernbench
