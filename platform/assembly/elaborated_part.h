// ElaboratedPart: the nodes of a machine that are elaborated: all, or those that the traffic of
// some cubes can reach (spec 1.4).
//
// The graph, its NodeIds and its routes are those of the whole machine in either case. A node
// outside the part has no component, and no link starts or ends there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/protocol/cube_id.h"
#include "platform/topology/graph.h"

namespace kernbench {

class ElaboratedPart {
 public:
  // Part for the accesses and messages of the PEs of `cubes`, and the requests of the host to them.
  // The whole machine if `cubes` is empty, and if it has plain TLM-2.0 initiators, which access any
  // address. UsageError for a cube that the machine lacks.
  explicit ElaboratedPart(const Graph& graph, const std::vector<CubeId>& cubes = {});

  bool is_whole() const { return is_whole_; }
  bool has(NodeId node) const { return has_[node]; }
  // Throws UsageError that names the node if it is outside the part.
  void check(NodeId node) const;
  // Returns, for a node outside, one of the part with the same role, implementation and attributes,
  // from which totals over the whole machine are completed.
  NodeId equal_of(NodeId node) const { return equals_[node]; }

 private:
  struct Places;
  class Reachable;
  std::optional<Location> take(const Places& places);

  const Graph* graph_;
  std::string cubes_;  // names of the cubes, for messages
  bool is_whole_ = true;
  std::vector<bool> has_;
  std::vector<NodeId> equals_;  // by node; empty for the whole machine
};

}  // namespace kernbench
