#include "sw/collectives/neighbour_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {

NeighbourGraph& NeighbourGraph::connect(PeId from, const std::string& direction, PeId to) {
  const std::string edge = fmt::format("direction '{}' of {}", direction, from.str());
  if (direction.empty())
    throw UsageError(fmt::format("a direction of {} without a name", from.str()));
  if (from == to) throw UsageError(fmt::format("{} leads to the PE itself", edge));
  const auto [place, added] = pes_[from].emplace(direction, to);
  if (!added)
    throw UsageError(
        fmt::format("{} leads to {} already, not to {}", edge, place->second.str(), to.str()));
  return *this;
}

NeighbourGraph& NeighbourGraph::add(const NeighbourGraph& other) {
  for (const auto& [pe, neighbours] : other.pes_) {
    for (const auto& [direction, peer] : neighbours) {
      const Neighbours& mine = pes_[pe];
      const auto found = mine.find(direction);
      if (found == mine.end() || !(found->second == peer)) connect(pe, direction, peer);
    }
  }
  return *this;
}

NeighbourGraph NeighbourGraph::with_prefix(const std::string& prefix) const {
  if (prefix.empty()) return *this;
  NeighbourGraph graph;
  for (const auto& [pe, neighbours] : pes_) {
    for (const auto& [direction, peer] : neighbours) graph.connect(pe, prefix + direction, peer);
  }
  return graph;
}

NeighbourGraph NeighbourGraph::without_prefix(const std::string& prefix) const {
  NeighbourGraph graph;
  for (const auto& [pe, neighbours] : pes_) {
    for (const auto& [direction, peer] : neighbours) {
      if (direction.compare(0, prefix.size(), prefix) != 0) graph.connect(pe, direction, peer);
    }
  }
  return graph;
}

bool NeighbourGraph::is_relative() const {
  const auto relative = [](const PeId& pe) { return pe.sip == this_device; };
  for (const auto& [pe, neighbours] : pes_) {
    if (relative(pe)) return true;
    for (const auto& [direction, peer] : neighbours) {
      if (relative(peer)) return true;
    }
  }
  return false;
}

NeighbourGraph NeighbourGraph::on_device(int sip) const {
  const auto placed = [sip](PeId pe) {
    if (pe.sip == this_device) pe.sip = sip;
    return pe;
  };
  NeighbourGraph graph;
  for (const auto& [pe, neighbours] : pes_) {
    for (const auto& [direction, peer] : neighbours)
      graph.connect(placed(pe), direction, placed(peer));
  }
  return graph;
}

const NeighbourGraph::Neighbours& NeighbourGraph::neighbours(PeId pe) const {
  static const Neighbours none;
  const auto found = pes_.find(pe);
  return found == pes_.end() ? none : found->second;
}

std::optional<std::string> opposite(const std::string& direction) {
  const auto ends_prefix = [](char c) { return c == '_' || c == '/'; };
  if (direction.empty() || (direction.size() > 1 && !ends_prefix(direction[direction.size() - 2])))
    return std::nullopt;
  const char* const names = "EWNS";
  const char* const opposites = "WESN";
  for (int i = 0; i < 4; ++i) {
    if (direction.back() == names[i])
      return direction.substr(0, direction.size() - 1) + opposites[i];
  }
  return std::nullopt;
}

namespace {

std::string scope_of(const std::string& direction) {
  const std::size_t end = direction.rfind('/');
  return end == std::string::npos ? "" : direction.substr(0, end);
}

// Directions of `pe` in the scope that lead to `peer` and whose opposite name does not lead back.
std::vector<std::string> without_opposite(const NeighbourGraph& graph, PeId pe, PeId peer,
                                          const std::string& scope) {
  std::vector<std::string> directions;
  for (const auto& [direction, to] : graph.neighbours(pe)) {
    if (!(to == peer) || scope_of(direction) != scope) continue;
    const std::optional<std::string> back = opposite(direction);
    const NeighbourGraph::Neighbours& theirs = graph.neighbours(peer);
    const auto found = back ? theirs.find(*back) : theirs.end();
    if (found == theirs.end() || !(found->second == pe)) directions.push_back(direction);
  }
  return directions;
}

std::string direction_back(const NeighbourGraph& graph, PeId pe, const std::string& direction,
                           PeId peer) {
  // If the opposite name leads back at one end, it does at the other end, too; remaining directions
  // are paired in byte order.
  const std::string scope = scope_of(direction);
  const std::vector<std::string> mine = without_opposite(graph, pe, peer, scope),
                                 theirs = without_opposite(graph, peer, pe, scope);
  const auto rank =
      static_cast<std::size_t>(std::find(mine.begin(), mine.end(), direction) - mine.begin());
  if (rank == mine.size()) return *opposite(direction);
  if (rank < theirs.size()) return theirs[rank];
  throw UsageError(
      fmt::format("direction '{}' of {} leads to {}, which has no direction left that leads back",
                  direction, pe.str(), peer.str()));
}

}  // namespace

std::vector<QueuePairEnd> queue_pairs(const NeighbourGraph& graph) {
  std::vector<QueuePairEnd> ends;
  for (const auto& [pe, neighbours] : graph.pes()) {
    for (const auto& [direction, peer] : neighbours) {
      ends.push_back({pe, direction, peer, direction_back(graph, pe, direction, peer)});
    }
  }
  return ends;
}

}  // namespace kernbench
