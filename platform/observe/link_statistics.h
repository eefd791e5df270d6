// Traffic statistics of the fabric's links.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/assembly/machine_modules.h"

namespace kernbench {

using LinkInstances = std::vector<LinkInstance>;

// [{"name", "src", "dst", "kind", "bytes", "flits", "control_messages", "busy_ns", "idle_ns",
// "utilisation"}] in the order of the graph's edges; up to now; utilisation = busy / `elapsed`, the
// time since the start of the run.
nlohmann::ordered_json links_json(const Graph& graph, const LinkInstances& links, Fs elapsed);

// All links of one kind of edge together.
struct LinkTotal {
  EdgeKind kind = EdgeKind::router_mesh;
  std::size_t links = 0;
  std::size_t used = 0;  // that carried data
  std::uint64_t bytes = 0;
  double busiest = 0;  // the highest utilisation
  std::string busiest_link;
};

std::vector<LinkTotal> totals_by_link(const Graph& graph, const LinkInstances& links,
                                      Fs elapsed);  // in the order of EdgeKind

}  // namespace kernbench
