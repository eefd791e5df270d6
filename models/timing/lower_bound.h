// The formula of spec 2.8: a lower bound for the time of one memory message, by arithmetic on its path alone.
//
// For each wire j of a leg: the first flit's way up to it (overheads included), the whole payload on it, then the last flit's way
// over the wires behind it. The leg is the largest of these; a node that stores and forwards cuts it into parts that add up. No
// simulated time is below it: wire j cannot start before the first flit is there, carries one flit at a time, and the last flit goes
// over it last. Contention, and bursts that finish after their flit could have left, come on top.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/protocol/path.h"

namespace kernbench {

struct MemoryMessage {
  bool write = false;
  bool posted = false;            // a write without acknowledgement
  std::uint64_t offset = 0;       // in the target memory
  std::uint64_t bytes = 1;
  std::uint32_t flit_bytes = 256;
  Fs initiator_overhead = 0;
  Fs memory_overhead = 0;
  bool memory_is_hbm = false;     // its overhead holds the first flit; else it follows the last one
  Fs burst_time = 0;              // of an HBM
  std::vector<bool> stores;       // by position on the request path: takes a message whole before passing it on
};

// What adds up to the bound: for `probe` and `route` to print.
struct MessageBound {
  Fs initiator = 0;  // overhead before the first hand-over
  Fs control = 0;    // the command's or acknowledgement's leg
  Fs data = 0;       // the leg of the flits, with the memory's overhead
  Fs memory = 0;     // one burst
  Fs total() const { return initiator + control + data + memory; }
};

// `path` is the request's.
MessageBound lower_bound(const Path& path, const MemoryMessage& message);

}  // namespace kernbench
