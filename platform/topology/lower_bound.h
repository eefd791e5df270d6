// Formula of spec 2.8: a lower bound for the time of one memory message, computed from its path
// alone.
//
// For each link j of a leg: traversal of the first flit up to it (overheads included), the whole
// payload on it, then traversal of the last flit over the links behind it, with the latencies of
// pipelined nodes. For each pipelined node: traversal of the first flit up to it, the occupancies
// of all flits but the last, then traversal of the last flit from it on; and the first occupancy,
// then the payload without the first flit on the link behind the node. The leg is the maximum over
// links and nodes; a node that stores and forwards cuts it into parts that add up. No simulated
// time is below the bound: link j cannot start before the first flit has arrived, carries one flit
// at a time, and the last flit traverses it last. Contributions beyond the bound: contention,
// bursts queued for their pseudo-channel, and short flits (see zero_load_latency.h).
#pragma once

#include <vector>

#include "models/base/units.h"
#include "models/protocol/path.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

// One leg from the hand-over at position 0.
struct LegBound {
  std::vector<Fs> first;  // by position: arrival of the first flit, or of the header
  Fs last = 0;            // arrival of the last flit, or of the header, at the target
};

// Control message: overhead of every traversed node, and every propagation.
LegBound control_leg(const Path& path);
// Data flits.
LegBound data_leg(const Path& path, const FlitCut& flits, const Transits& nodes);

// Terms of the bound, from the grant on; `signal` and `route` print them.
struct MessageBound {
  Fs initiator = 0;  // overhead before the first hand-over
  Fs control = 0;    // leg of the command, with the memory's overhead; or of the acknowledgement
  Fs data = 0;       // leg of the flits; for a write with the memory's overhead
  Fs burst = 0;      // HBM only
  Fs total() const { return initiator + control + data + burst; }
};

// `path`: path of the request.
MessageBound lower_bound(const Path& path, const MemoryMessage& message);

}  // namespace kernbench
