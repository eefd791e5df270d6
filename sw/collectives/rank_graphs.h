// Neighbour graphs over the ranks: each PE that holds a shard is joined with those that hold the
// same one on other ranks.
#pragma once

#include "sw/collectives/collective_call.h"
#include "sw/collectives/neighbour_graph.h"

namespace kernbench {

// ring_E, ring_W along RankGroup::ring().
NeighbourGraph rank_ring(const CollectiveCall& call);
// parent, child0, child1 of a binary tree whose root is rank 0.
NeighbourGraph rank_tree(const CollectiveCall& call);
// One pair of ranks: `rank3` leads to rank 3.
NeighbourGraph rank_pair(const CollectiveCall& call, int a, int b);
std::string direction_to_rank(int rank);
// A graph of SIPs with the ranks in their place: the same one, but with RankUnit::pe.
NeighbourGraph between_ranks(const NeighbourGraph& sips, const RankGroup& group);

// Where the call's rank stands in RankGroup::ring(), and where any other does.
int ring_position(const RankGroup& group, int rank);

}  // namespace kernbench
