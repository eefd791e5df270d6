// Schedules that reduce towards one place and broadcast from there: a binary tree, and levels of
// rings. One block.
#pragma once

#include <string>
#include <vector>

#include "sw/collectives/schedule.h"

namespace kernbench::schedules {

// A way up to the root and ways down from there, the same for both.
struct TreePosition {
  std::string up;  // towards the root; none at the root
  std::vector<std::string>
      down;  // the longest way first: it is served first, and what comes from there is taken last
};

// Up: combines what comes from below and sends it on; down: the way back. The block is complete at
// the root.
Schedule tree_reduce(const TreePosition& place);
Schedule tree_all_reduce(const TreePosition& place);
// Of several blocks, message by message. Up: adds what comes from below, whatever the reduction.
Schedule tree_sum(const TreePosition& place, int blocks = 1);
Schedule tree_broadcast(const TreePosition& place, int blocks = 1);

// A line with its root anywhere: `next` leads from each position to the one after it.
TreePosition line(int position, int root, int count, const std::string& next,
                  const std::string& previous);

// Position r of a binary tree has (r - 1) / 2 above (`parent`), 2 r + 1 and 2 r + 2 below
// (`child0`, `child1`).
TreePosition binary_tree(int position, int count);

// A ring, folded at position 0: positions up to count / 2 are reached by `next` from 0, the others
// by `previous`. The longer side has ceil((count - 1) / 2) hops.
TreePosition folded_ring(int position, int count, const std::string& next,
                         const std::string& previous);

// The levels of a hierarchy as one tree, for a place that takes part in them from the lowest one
// up: it is the root of all but the last.
TreePosition levels(const std::vector<TreePosition>& places);

}  // namespace kernbench::schedules
