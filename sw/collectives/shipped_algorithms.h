// The algorithms of this program. register_algorithms.cpp lists them.
#pragma once

#include "sw/collectives/algorithm.h"

namespace kernbench::algorithms {

CollectiveAlgorithm lrab_hierarchical_allreduce();
CollectiveAlgorithm hierarchical_allreduce();
CollectiveAlgorithm ring_allreduce();
CollectiveAlgorithm tree_allreduce();
CollectiveAlgorithm ring_broadcast();
CollectiveAlgorithm ring_reduce();
CollectiveAlgorithm ring_all_gather();
CollectiveAlgorithm ring_reduce_scatter();
CollectiveAlgorithm ring_all_to_all();
CollectiveAlgorithm ring_gather();
CollectiveAlgorithm ring_scatter();
CollectiveAlgorithm send_recv();

}  // namespace kernbench::algorithms
