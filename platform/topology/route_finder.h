// All paths through the machine (spec 2.7, ADR-0051). Trees of shortest paths are computed when
// first asked for and kept.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/shortest_paths.h"

namespace kernbench {

// Which edges a search may use.
enum class View : std::uint8_t {
  all,     // every edge: control messages
  data,    // without `command`: PE DMA and other data
  memory,  // without `pe_internal` and `pe_to_router`: memory traffic of the host and of M_CPU
  local    // without the UCIe kinds: traffic within a cube
};

class RouteFinder {
 public:
  explicit RouteFinder(const Graph& graph);
  // Not copyable: callers keep references to one router.
  RouteFinder(const RouteFinder&) = delete;
  RouteFinder& operator=(const RouteFinder&) = delete;

  // The paths include both ends; src == dst gives one node. A missing path is a RoutingError that
  // names both ends. Responses and acknowledgements take the reverse (`reversed`).

  // The best path in a view of the whole machine.
  std::vector<NodeId> path(NodeId src, NodeId dst, View view) const;
  // Data from `initiator` (pe_dma, pcie_ep, io_cpu or m_cpu) to a memory node, or to a pe_dma
  // (IPCQ). A TCM is reached through its PE's DMA: ... router -> pe_dma -> pe_tcm. Within a cube
  // the path stays inside and off UCIe; between cubes of one SIP it stays off the IO chiplets.
  std::vector<NodeId> memory_path(NodeId initiator, NodeId memory) const;
  // To an hbm_ctrl through one of its channels (hbm_mapping_mode one_to_one): ... router -> ch{c}
  // -> hbm_ctrl.
  std::vector<NodeId> channel_path(NodeId initiator, NodeId hbm_ctrl, int channel) const;
  // Between any two nodes over all edges (control messages), inside the cube or off the IO chiplets
  // by the same rule.
  std::vector<NodeId> node_path(NodeId src, NodeId dst) const;

  // Control messages of the host to the PEs of a SIP, between any two stations of their path:
  // pcie_ep, io_cpu, m_cpu, PE (spec 2.7). io_cpu and m_cpu take each message and send on what
  // follows from it, so that the path between them may be walked to and fro. A response takes the
  // reverse. Between other nodes: node_path().
  std::vector<NodeId> message_path(NodeId src, NodeId dst) const;

  static std::vector<NodeId> reversed(std::vector<NodeId> path);

 private:
  SearchSpace whole(View view) const;
  SearchSpace confined(NodeId src, NodeId dst, View view) const;
  std::vector<NodeId> search(NodeId src, NodeId dst, const SearchSpace& space) const;
  std::vector<NodeId> stations(NodeId src, NodeId dst) const;
  [[noreturn]] void no_path(NodeId src, NodeId dst) const;

  const Graph& graph_;
  std::vector<std::uint64_t> weights_um_;  // by edge index
  mutable std::map<std::pair<SearchSpace, NodeId>, std::unique_ptr<PathTree>> trees_;
};

}  // namespace kernbench
