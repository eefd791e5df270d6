#include "sw/collectives/algorithm.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

const std::vector<std::string>& all_sip_topologies() {
  static const std::vector<std::string> names{"ring_1d", "torus_2d", "mesh_2d_no_wrap"};
  return names;
}

void CollectiveAlgorithm::check_topology(const RankGroup& group) const {
  const std::string& topology = group.grid.topology;
  if (std::find(sip_topologies.begin(), sip_topologies.end(), topology) == sip_topologies.end()) {
    std::string known;
    for (const std::string& each : sip_topologies) known += (known.empty() ? "" : ", ") + each;
    throw UsageError(
        fmt::format("{} does not work on the SIP topology {}, but on {}", name, topology, known));
  }
}

void CollectiveAlgorithm::check(const CollectiveCall& call) const {
  check_topology(call.group);
  const std::string why = refuses ? refuses(call) : "";
  if (!why.empty()) {
    throw UsageError(fmt::format("{} expects {}; tensor '{}' has {}: {}", name, layout,
                                 call.tensor().name, call.layout.str(), why));
  }
}

}  // namespace kernbench
