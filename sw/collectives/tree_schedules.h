// Schedules that reduce to a root and broadcast from it: a binary tree, and levels of rings. One
// block.
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace kernbench::schedules {

// Directions towards the root and away from it, used for both.
struct TreePosition {
  std::string up;  // towards the root; none at the root
  std::vector<std::string>
      down;  // longest path first: it is served first, and its messages are received last
};

// Up: combines received values and sends the result on; down: the reverse. The block is complete at
// the root.
Schedule tree_reduce(const TreePosition& place);
Schedule tree_all_reduce(const TreePosition& place);
// Several blocks, message by message. Up: adds received values regardless of the reduction.
Schedule tree_sum(const TreePosition& place, int blocks = 1);
Schedule tree_broadcast(const TreePosition& place, int blocks = 1);

// Line with its root at any position: `next` leads from each position to the following one.
TreePosition line(int position, int root, int count, const std::string& next,
                  const std::string& previous);

// Position r of a binary tree has parent (r - 1) / 2 (`parent`) and children 2 r + 1 and 2 r + 2
// (`child0`, `child1`).
TreePosition binary_tree(int position, int count);

// Ring folded at position 0: `next` reaches positions up to count / 2 from 0, `previous` the
// others. The longer side has ceil((count - 1) / 2) hops.
TreePosition folded_ring(int position, int count, const std::string& next,
                         const std::string& previous);

// Levels of a hierarchy as one tree, for a position that takes part in them from the lowest level
// up: it is the root of all levels except the last.
TreePosition levels(const std::vector<TreePosition>& places);

}  // namespace kernbench::schedules
