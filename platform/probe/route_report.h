// What `route` tells about two nodes: the way between them, hop by hop, and the formula of spec 2.8
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

// From a pe_dma or pcie_ep to a memory: the way of memory traffic, with a read and a write of
// `bytes` at offset 0. Else the way of control messages; those of the host to PEs are sent on by
// io_cpu and m_cpu, and so is their way shown. Throws RoutingError that names both ends if there is
// no way through the fabric.
RouteReport route_report(const Graph& graph, MachineRoutes& routes, NodeId from, NodeId to,
                         std::uint64_t bytes);

}  // namespace kernbench
