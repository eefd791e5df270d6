#include "platform/assembly/machine_routes.h"

#include <fmt/format.h>

#include <utility>

#include "models/base/errors.h"
#include "platform/topology/channel_dependencies.h"
#include "platform/topology/machine_message.h"

namespace kernbench {
namespace {

constexpr std::uint64_t key(NodeId from, NodeId to) { return std::uint64_t{from} << 32 | to; }

}  // namespace

MachineRoutes::MachineRoutes(const Graph& graph, const FabricEdges& edges)
    : graph_(graph), edges_(edges), router_(graph) {
  overhead_fs_.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) overhead_fs_.push_back(overhead_of(node));
}

MachineRoutes::Pair::Pair(std::vector<PathHop> forward_hops, std::vector<PathHop> backward_hops)
    : forward(std::move(forward_hops), &backward), backward(std::move(backward_hops), &forward) {}

const Path& MachineRoutes::memory_path(NodeId initiator, NodeId memory) {
  const Path*& path = memory_paths_[key(initiator, memory)];
  if (path == nullptr) path = &path_along(router_.memory_path(initiator, memory));
  return *path;
}

const Path& MachineRoutes::channel_path(NodeId initiator, NodeId memory, std::uint16_t channel) {
  std::vector<const Path*>& paths = channel_paths_[key(initiator, memory)];
  if (channel >= paths.size()) paths.resize(channel + std::size_t{1}, nullptr);
  if (paths[channel] == nullptr)
    paths[channel] = &path_along(router_.channel_path(initiator, memory, channel));
  return *paths[channel];
}

const Path& MachineRoutes::control_path(NodeId source, NodeId target) {
  const Path*& path = control_paths_[key(source, target)];
  if (path == nullptr) path = &path_along(router_.node_path(source, target));
  return *path;
}

const Path& MachineRoutes::path_along(const std::vector<NodeId>& nodes) {
  std::vector<PathHop> forward =
      hops(nodes);  // forward path first: an error names source and target in order
  pairs_.push_back(std::make_unique<Pair>(std::move(forward), hops(RouteFinder::reversed(nodes))));
  return pairs_.back()->forward;
}

std::vector<PathHop> MachineRoutes::hops(const std::vector<NodeId>& nodes) const {
  std::vector<PathHop> hops(nodes.size());
  std::vector<ChannelPhase> phases;
  if (channel_classes_of(graph_.spec()) > 1) phases = channel_phases_of(graph_, nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PathHop& hop = hops[i];
    edges_.check(nodes[i]);
    hop.node = nodes[i];
    hop.overhead_fs = overhead_fs_[nodes[i]];
    const bool last = i + 1 == nodes.size();
    // The DMA of a PE forwards accesses of other initiators to its TCM without overhead.
    if (i > 0 && !last && graph_.node(nodes[i]).kind == Role::pe_dma) hop.overhead_fs = 0;
    if (last) break;
    const Edge* edge = graph_.find_edge(nodes[i], nodes[i + 1]);
    if (edge == nullptr || edges_[static_cast<std::size_t>(edge - graph_.edges().data())].binding ==
                               EdgeBinding::internal) {
      throw RoutingError(fmt::format(
          "no path through the fabric from '{}' to '{}': '{}' and '{}' have no fabric edge",
          graph_.node(nodes.front()).name, graph_.node(nodes.back()).name,
          graph_.node(nodes[i]).name, graph_.node(nodes[i + 1]).name));
    }
    const FabricEdges::Edge& fabric_edge =
        edges_[static_cast<std::size_t>(edge - graph_.edges().data())];
    hop.out_port = fabric_edge.out_port;
    if (!phases.empty()) hop.channel_class = static_cast<std::uint8_t>(phases[i]);
    hop.propagation_fs = fabric_edge.propagation_fs;
    hop.bw_gbs = fabric_edge.bw_gbs;
  }
  return hops;
}

}  // namespace kernbench
