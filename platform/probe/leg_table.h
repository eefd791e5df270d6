// The hops of one leg, with the delays of each and the arrival of the first flit (or the header):
// for `route` and `probe`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/path.h"
#include "models/protocol/transaction.h"
#include "platform/topology/graph.h"

namespace kernbench {

// null if absent (unlimited).
nlohmann::ordered_json gbs_json(const std::optional<Rational>& bw_gbs);

// The narrowest link of a path, the first among equals; none if all are unlimited.
struct NarrowestLink {
  std::uint32_t position = 0;  // of the node before it
  Rational bw_gbs;
};
std::optional<NarrowestLink> bottleneck_of(const Path& path);

// One column of times: an arrival at each position.
struct LegTimes {
  std::string title;     // "first flit at ns"
  std::string json_key;  // "first_flit_at_ns"
  std::vector<Fs> at;
};

// A row per node: overhead as paid on this leg (the ends of a response pay nothing), then the link
// behind the node. The narrowest link is marked.
std::string leg_text(const Graph& graph, const Path& path, Leg leg,
                     const std::vector<LegTimes>& times);
nlohmann::ordered_json leg_json(const Graph& graph, const Path& path, Leg leg,
                                const std::vector<LegTimes>& times);

}  // namespace kernbench
