// The formula of spec 2.8: a lower bound for the time of one memory message, by arithmetic on its
// path alone.
//
// For each link j of a leg: the first flit's way up to it (overheads included), the whole payload
// on it, then the last flit's way over the links behind it. The leg is the largest of these; a node
// that stores and forwards cuts it into parts that add up. No simulated time is below it: link j
// cannot start before the first flit is there, carries one flit at a time, and the last flit goes
// over it last. What comes on top: contention, bursts that wait for their pseudo-channel, and short
// flits (see zero_load_latency.h).
#pragma once

#include <vector>

#include "models/base/units.h"
#include "models/protocol/path.h"
#include "platform/topology/machine_message.h"

namespace kernbench {

// One leg from the hand-over at position 0 on.
struct LegBound {
  std::vector<Fs> first;  // by position: when the first flit, or the header, arrives there
  Fs last = 0;            // when the last flit, or the header, arrives at the target
};

// A control message: the overhead of every node passed, every propagation.
LegBound control_leg(const Path& path);
// The flits. `stores` by position: the node takes a message whole before it passes it on; what is
// beyond its end does not.
LegBound data_leg(const Path& path, const FlitCut& flits, const std::vector<bool>& stores);

// Terms of the bound, from the grant on: for `signal` and `route` to print.
struct MessageBound {
  Fs initiator = 0;  // overhead before the first hand-over
  Fs control = 0;    // the command's leg, with the memory's overhead; or the acknowledgement's
  Fs data = 0;       // the leg of the flits; a write's with the memory's overhead
  Fs burst = 0;      // of an HBM
  Fs total() const { return initiator + control + data + burst; }
};

// `path` is the request's.
MessageBound lower_bound(const Path& path, const MemoryMessage& message);

}  // namespace kernbench
