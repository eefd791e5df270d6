// Output of `route` for two nodes: the path between them, hop by hop, and the formula of spec 2.8
// if it is one of memory traffic.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/assembly/machine_routes.h"
#include "platform/topology/graph.h"

namespace kernbench {

struct RouteReport {
  std::string text;
  nlohmann::ordered_json json;  // units in the key names
};

// From a pe_dma or pcie_ep to a memory: the path of memory traffic, with a read and a write of
// `bytes` at offset 0. Else the path of control messages; those of the host to PEs are forwarded by
// io_cpu and m_cpu, and their path is shown so. Throws RoutingError that names both ends if there
// is no path through the fabric.
RouteReport route_report(const Graph& graph, MachineRoutes& routes, NodeId from, NodeId to,
                         std::uint64_t bytes);

}  // namespace kernbench
