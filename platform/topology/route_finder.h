// Paths through the machine (spec 2.7, ADR-0051). Trees of shortest paths are computed on first use
// and kept, once for all regions of one shape (routing_regions.h); a path between SIPs is that to
// the switch and that from there.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "platform/topology/graph.h"
#include "platform/topology/routing_regions.h"
#include "platform/topology/shortest_paths.h"

namespace kernbench {

// Edges that a search may use.
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

  // Paths include source and target; src == dst yields one node. A missing path is a RoutingError
  // that names both. Responses and acknowledgements use the reverse (`reversed`).

  // Best path in a view of the whole machine.
  std::vector<NodeId> path(NodeId src, NodeId dst, View view) const;
  // Path of data from `initiator` (pe_dma, pcie_ep, io_cpu or m_cpu) to a memory node, or to a
  // pe_dma (IPCQ). A TCM is reached through its PE's DMA: ... router -> pe_dma -> pe_tcm. Within a
  // cube the path stays inside and avoids UCIe; between cubes of one SIP it avoids the IO chiplets.
  std::vector<NodeId> memory_path(NodeId initiator, NodeId memory) const;
  // Path to an hbm_ctrl through one of its channels (hbm_mapping_mode one_to_one): ... router ->
  // ch{c} -> hbm_ctrl.
  std::vector<NodeId> channel_path(NodeId initiator, NodeId hbm_ctrl, int channel) const;
  // Path between any two nodes over all edges (control messages), inside the cube or avoiding the
  // IO chiplets by the same policy.
  std::vector<NodeId> node_path(NodeId src, NodeId dst) const;

  // Path of host control messages to the PEs of a SIP, between any two stations: pcie_ep, io_cpu,
  // m_cpu, PE (spec 2.7). io_cpu and m_cpu terminate each message and send a new one, so the path
  // between them may be traversed twice. A response uses the reverse. Between other nodes:
  // node_path().
  std::vector<NodeId> message_path(NodeId src, NodeId dst) const;

  static std::vector<NodeId> reversed(std::vector<NodeId> path);

 private:
  // Edges that a path may use, and nodes that it must not leave.
  struct Scope {
    std::uint32_t edge_kinds;     // SearchSpace::edge_kinds
    int x_row;                    // SearchSpace::x_row
    const RoutingRegion* region;  // null: the whole machine
  };

  Scope confined(NodeId src, NodeId dst, View view) const;
  std::vector<NodeId> search(NodeId src, NodeId dst, const Scope& scope) const;
  std::vector<NodeId> search_region(NodeId src, NodeId dst, const Scope& scope,
                                    const RoutingRegion& region, NodeId border) const;
  std::vector<NodeId> stations(NodeId src, NodeId dst) const;
  [[noreturn]] void no_path(NodeId src, NodeId dst) const;

  const Graph& graph_;
  RoutingRegions regions_;
  std::vector<std::uint64_t> weights_um_;  // by edge index
  mutable std::map<std::pair<SearchSpace, NodeId>, std::unique_ptr<PathTree>> trees_;
};

}  // namespace kernbench
