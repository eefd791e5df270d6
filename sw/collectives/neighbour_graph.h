// NeighbourGraph: the neighbours of every PE by direction, and the resulting queue pairs (spec 8.1,
// ADR-0025).
//
// A direction is only a name: the graph gives it meaning. The graphs that ship are in
// shipped_graphs.h; an algorithm may make its own (a tree: `parent`, `child0`, `child1`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_messages.h"

namespace kernbench {

// In place of a SIP's number: the device of the thread that installs the graph.
inline constexpr int this_device = -1;

class NeighbourGraph {
 public:
  using Neighbours = std::map<std::string, PeId>;  // by direction, in byte order

  // UsageError: an empty direction, one that `from` uses already, a PE as its own neighbour.
  NeighbourGraph& connect(PeId from, const std::string& direction, PeId to);
  // The edges of `other` too. UsageError where both use a direction of one PE, unless it leads to
  // the same peer.
  NeighbourGraph& add(const NeighbourGraph& other);

  // The same with `prefix` before the name of each direction. One that ends in '/' makes a scope of
  // its own: directions are joined within it.
  NeighbourGraph with_prefix(const std::string& prefix) const;
  // Without the directions whose names begin with `prefix`.
  NeighbourGraph without_prefix(const std::string& prefix) const;

  // Some PE is one of `this_device`.
  bool is_relative() const;
  // With `sip` in place of `this_device`.
  NeighbourGraph on_device(int sip) const;

  const std::map<PeId, Neighbours>& pes() const { return pes_; }
  const Neighbours& neighbours(PeId pe) const;  // empty if it has none
  bool empty() const { return pes_.empty(); }

 private:
  std::map<PeId, Neighbours> pes_;
};

// E <-> W, N <-> S, also behind a prefix: intra_E <-> intra_W, group1/E <-> group1/W. None for
// other names.
std::optional<std::string> opposite(const std::string& direction);

// One end of a queue pair; the other end is in the list too.
struct QueuePairEnd {
  PeId pe;
  std::string direction;
  PeId peer;
  std::string peer_direction;
};

// Joins each direction with a direction of the peer that points back, of the same scope (the name
// up to the last '/'): the opposite name if the peer has it, else the first in byte order that no
// opposite and no other direction has taken. Sorted by (PE, direction). UsageError, naming PE and
// direction, for one that nothing points back to.
std::vector<QueuePairEnd> queue_pairs(const NeighbourGraph& graph);

}  // namespace kernbench
