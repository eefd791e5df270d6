// Neighbour graphs over the ranks: each PE that holds a shard is joined with the PEs that hold the
// same shard on other ranks.
#pragma once

#include "sw/collectives/collective_call.h"
#include "sw/collectives/neighbour_graph.h"

namespace kernbench {

// ring_E, ring_W along RankGroup::ring().
NeighbourGraph rank_ring(const CollectiveCall& call);
// parent, child0, child1 of a binary tree whose root is rank 0.
NeighbourGraph rank_tree(const CollectiveCall& call);
// Pair of ranks: direction `rank3` leads to rank 3.
NeighbourGraph rank_pair(const CollectiveCall& call, int a, int b);
std::string direction_to_rank(int rank);
// Graph between ranks from a graph between SIPs; differs only for RankUnit::pe.
NeighbourGraph between_ranks(const NeighbourGraph& sips, const RankGroup& group);

// Position of a rank in RankGroup::ring().
int ring_position(const RankGroup& group, int rank);

}  // namespace kernbench
