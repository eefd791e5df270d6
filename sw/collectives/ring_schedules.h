// Schedules of collectives on a ring: position p sends `ring_E` to p + 1 and receives `ring_W` from
// p - 1, modulo the number of positions. A ring of one has empty phases.
#pragma once

#include "sw/collectives/schedule.h"

namespace kernbench::schedules {

inline constexpr const char* ring_next = "ring_E";
inline constexpr const char* ring_previous = "ring_W";

// Blocks: one per position. In round k of count - 1, p sends block p - k - 1 and adds the message
// to block p - k - 2: block p is complete at the end.
Schedule ring_reduce_scatter(int position, int count);
// Blocks: one per position; block p is present at the start. Round k: sends block p - k, receives
// block p - k - 1.
Schedule ring_all_gather(int position, int count);
// ring_reduce_scatter(), then ring_all_gather(), on one block per position.
Schedule ring_all_reduce(int position, int count);

// One block, from the root along the ring to all positions.
Schedule ring_broadcast(int position, int count, int root);
// One block, from the position after the root along the ring to the root.
Schedule ring_reduce(int position, int count, int root);

// Blocks: one per position, each sent to the root (gather) or from the root (scatter); the root has
// all blocks, position p has block p and those that pass through. Blocks are sent sequentially: to
// the root the nearest first, from the root the farthest first.
Schedule ring_gather(int position, int count, int root);
Schedule ring_scatter(int position, int count, int root);

// Block s * count + d is sent from s to d. In round k each position forwards the blocks with k or
// more remaining hops.
Schedule ring_all_to_all(int position, int count);

}  // namespace kernbench::schedules
