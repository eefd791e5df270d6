// Accumulated latency between nodes, the distance of diagrams (ADR-0002, ADR-0005).
#pragma once

#include <functional>
#include <vector>

#include "platform/topology/graph.h"

namespace kernbench {

// From `anchor` to every node: propagation of the links and overhead_ns of the nodes entered, by
// the soonest way over edges that `admits`; never_fs: not reached.
std::vector<Fs> latencies_from(const Graph& graph, NodeId anchor,
                               const std::function<bool(const Edge&)>& admits);

}  // namespace kernbench
