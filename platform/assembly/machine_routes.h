// Routes over the graph: paths of RouteFinder with ports and rounded delays per hop. Each path is
// built once.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "models/protocol/path.h"
#include "platform/assembly/fabric_edges.h"
#include "platform/topology/graph.h"
#include "platform/topology/route_finder.h"

namespace kernbench {

class MachineRoutes final : public Routes {
 public:
  MachineRoutes(const Graph& graph, const FabricEdges& edges);

  const Path& memory_path(NodeId initiator, NodeId memory) override;
  const Path& channel_path(NodeId initiator, NodeId memory, std::uint16_t channel) override;
  const Path& control_path(NodeId source, NodeId target) override;
  // Path of RouteFinder::message_path(), as `route` shows it.
  const Path& message_path(NodeId source, NodeId target) {
    return path_along(router_.message_path(source, target));
  }
  const RouteFinder& finder() const { return router_; }
  // Path along these nodes.
  const Path& path_along(const std::vector<NodeId>& nodes);

 private:
  struct Pair {
    Pair(std::vector<PathHop> forward_hops, std::vector<PathHop> backward_hops);
    Path forward;
    Path backward;
  };
  using Cache = std::unordered_map<std::uint64_t, const Path*>;  // looked up only, never iterated

  std::vector<PathHop> hops(const std::vector<NodeId>& nodes) const;

  const Graph& graph_;
  const FabricEdges& edges_;
  RouteFinder router_;
  std::vector<Fs> overhead_fs_;  // by node
  std::vector<std::unique_ptr<Pair>> pairs_;
  Cache memory_paths_;
  std::unordered_map<std::uint64_t, std::vector<const Path*>>
      channel_paths_;  // by channel; looked up only, never iterated
  Cache control_paths_;
};

}  // namespace kernbench
