// Output of `route` for two nodes: the path between them, hop by hop, and the formula of spec 2.8
// for memory traffic. `probe` also prints the hops of a leg, with the delay of each and the arrival
// of the first flit (or the header).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/path.h"
#include "models/protocol/transaction.h"
#include "platform/assembly/machine_routes.h"
#include "platform/topology/graph.h"

namespace kernbench {

// null if absent (unlimited).
nlohmann::ordered_json gbs_json(const std::optional<Rational>& bw_gbs);

// Narrowest link of a path, or node that lets fewer bytes pass; the first among equals, links
// before nodes; none if all are unlimited.
struct NarrowestLink {
  std::uint32_t position = 0;  // position of the node, or of the link's source node
  Rational bw_gbs;             // bandwidth of the link, or node_gbs of the node
  bool is_node = false;
};
// Rate of the node at a position: for an HBM partition at an end of the path the sum of its
// pseudo-channels, for a forwarding node flit_bytes / flit_occupancy_ns. 0: unlimited.
Rational node_gbs(const Graph& graph, const Path& path, std::uint32_t position);
std::optional<NarrowestLink> bottleneck_of(const Graph& graph, const Path& path);

// One column of times: an arrival at each position.
struct LegTimes {
  std::string title;     // "first flit at ns"
  std::string json_key;  // "first_flit_at_ns"
  std::vector<Fs> at;
};

// One row per node: its latency on this leg (source and target of a response have none), the
// occupancy of its servers and the rate that it allows, then the link behind the node. The
// narrowest link, or node, is marked, and nodes of the same rate as "equal".
std::string leg_text(const Graph& graph, const Path& path, Leg leg,
                     const std::vector<LegTimes>& times);
nlohmann::ordered_json leg_json(const Graph& graph, const Path& path, Leg leg,
                                const std::vector<LegTimes>& times);

struct RouteReport {
  std::string text;
  nlohmann::ordered_json json;  // units in the key names
};

// From a pe_dma or pcie_ep to a memory: the path of memory traffic, with a read and a write of
// `bytes` at offset 0. Otherwise the path of control messages; those of the host to PEs are
// forwarded by io_cpu and m_cpu, and their path is shown so. Throws RoutingError that names source
// and target if there is no path through the fabric.
RouteReport route_report(const Graph& graph, MachineRoutes& routes, NodeId from, NodeId to,
                         std::uint64_t bytes);

}  // namespace kernbench
