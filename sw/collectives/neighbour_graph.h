// NeighbourGraph: the neighbours of every PE by direction, and the resulting queue pairs (spec 8.1,
// ADR-0025).
//
// A direction is only a name: the graph defines its meaning. The graphs that ship are in
// shipped_graphs.h; an algorithm may make its own (a tree: `parent`, `child0`, `child1`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_messages.h"

namespace kernbench {

// Placeholder of a SIP number: the device of the thread that installs the graph.
inline constexpr int this_device = -1;

class NeighbourGraph {
 public:
  using Neighbours = std::map<std::string, PeId>;  // by direction, in byte order

  // UsageError: an empty direction, a direction that `from` already uses, a PE as its own
  // neighbour.
  NeighbourGraph& connect(PeId from, const std::string& direction, PeId to);
  // Adds the edges of `other`. UsageError if both use the same direction of a PE for different
  // peers.
  NeighbourGraph& add(const NeighbourGraph& other);

  // Graph with `prefix` added to the name of each direction. A prefix that ends in '/' makes a
  // separate scope: directions are joined within it.
  NeighbourGraph with_prefix(const std::string& prefix) const;
  // Graph without the directions whose names begin with `prefix`.
  NeighbourGraph without_prefix(const std::string& prefix) const;

  // Whether some PE is one of `this_device`.
  bool is_relative() const;
  // Graph with `sip` instead of `this_device`.
  NeighbourGraph on_device(int sip) const;

  const std::map<PeId, Neighbours>& pes() const { return pes_; }
  const Neighbours& neighbours(PeId pe) const;  // empty if it has none
  bool empty() const { return pes_.empty(); }

 private:
  std::map<PeId, Neighbours> pes_;
};

// E <-> W, N <-> S, also after a prefix: intra_E <-> intra_W, group1/E <-> group1/W. None for other
// names.
std::optional<std::string> opposite(const std::string& direction);

// End of a queue pair; the list contains the other end, too.
struct QueuePairEnd {
  PeId pe;
  std::string direction;
  PeId peer;
  std::string peer_direction;
};

// Joins each direction with a direction of the peer that points back, of the same scope (the name
// up to the last '/'): the opposite name if the peer has it, else the first in byte order that is
// not yet paired. Sorted by (PE, direction). UsageError, naming PE and direction, for a direction
// without a partner.
std::vector<QueuePairEnd> queue_pairs(const NeighbourGraph& graph);

}  // namespace kernbench
