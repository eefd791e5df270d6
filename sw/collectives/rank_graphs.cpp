#include "sw/collectives/rank_graphs.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/collectives/ring_schedules.h"

namespace kernbench {

NeighbourGraph rank_ring(const CollectiveCall& call) {
  NeighbourGraph graph;
  const std::vector<int> order = call.group.ring();
  const std::size_t count = order.size();
  for (const ShardLayout::Member& member : call.layout.members) {
    const auto at = [&](std::size_t position) {
      return call.group.place(order[position % count], member.cube, member.pe);
    };
    for (std::size_t position = 0; count > 1 && position < count; ++position) {
      graph.connect(at(position), schedules::ring_next, at(position + 1));
      graph.connect(at(position), schedules::ring_previous, at(position + count - 1));
    }
  }
  return graph;
}

NeighbourGraph rank_tree(const CollectiveCall& call) {
  NeighbourGraph graph;
  for (const ShardLayout::Member& member : call.layout.members) {
    for (int rank = 1; rank < call.group.size; ++rank) {
      const PeId below = call.group.place(rank, member.cube, member.pe);
      const PeId above = call.group.place((rank - 1) / 2, member.cube, member.pe);
      graph.connect(below, "parent", above)
          .connect(above, rank % 2 == 1 ? "child0" : "child1", below);
    }
  }
  return graph;
}

NeighbourGraph rank_pair(const CollectiveCall& call, int a, int b) {
  NeighbourGraph graph;
  for (const ShardLayout::Member& member : call.layout.members) {
    const PeId here = call.group.place(a, member.cube, member.pe),
               there = call.group.place(b, member.cube, member.pe);
    graph.connect(here, direction_to_rank(b) + call.rings, there)
        .connect(there, direction_to_rank(a) + call.rings, here);
  }
  return graph;
}

std::string direction_to_rank(int rank) { return fmt::format("rank{}", rank); }

NeighbourGraph between_ranks(const NeighbourGraph& sips, const RankGroup& group) {
  const auto placed = [&group](PeId at) { return group.place(at.sip, at.cube, at.pe); };
  NeighbourGraph graph;
  for (const auto& [pe, neighbours] : sips.pes()) {
    for (const auto& [direction, peer] : neighbours)
      graph.connect(placed(pe), direction, placed(peer));
  }
  return graph;
}

int ring_position(const RankGroup& group, int rank) {
  const std::vector<int> order = group.ring();
  return static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin());
}

}  // namespace kernbench
