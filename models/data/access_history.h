// AccessHistory: the latest accesses to each byte of memory, for race detection: the last write,
// and the reads since then that are not ordered among one another (FastTrack: epochs instead of
// clocks; Flanagan and Freund, PLDI 2009). Ranges of bytes with the same history are one entry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/address/phys_range.h"
#include "models/base/call_site.h"
#include "models/base/units.h"
#include "models/data/vector_clock.h"

namespace kernbench {

struct MemoryAccess {
  std::uint32_t agent = 0, epoch = 0;  // agent, and its epoch at the access
  bool is_write = false;
  bool is_atomic = false;  // does not conflict with other atomic accesses
  std::string call;        // "tl.load"
  CallSite site;
  std::shared_ptr<const std::string> who;  // "kernel 'k' on sip0.cube0.pe1"
  Fs time = 0;
};
using MemoryAccessPtr = std::shared_ptr<const MemoryAccess>;

// Earlier access that is not ordered before the new one.
struct Conflict {
  MemoryAccessPtr earlier;
  std::uint64_t pa = 0;      // address of the first byte
  std::uint64_t nbytes = 0;  // bytes of all ranges
};

class AccessHistory {
 public:
  // Adds an access by an agent with this clock; returns the accesses that it conflicts with, each
  // once, in order of their first byte.
  std::vector<Conflict> add(const MemoryAccessPtr& access, const VectorClock& clock,
                            const PhysRanges& ranges);
  // Forgets the history of newly allocated bytes.
  void forget(std::uint64_t pa, std::uint64_t nbytes);

 private:
  struct Entry {
    std::uint64_t end = 0;
    MemoryAccessPtr write;               // null: none
    std::vector<MemoryAccessPtr> reads;  // reads since the write
  };
  using Entries = std::map<std::uint64_t, Entry>;  // by first byte; disjoint

  Entries::iterator split(std::uint64_t pa);  // first entry at or after pa; no entry spans pa
  void add_write(const MemoryAccessPtr& access, std::uint64_t begin, std::uint64_t end);
  void add_read(const MemoryAccessPtr& access, const VectorClock& clock, std::uint64_t begin,
                std::uint64_t end);

  Entries entries_;
};

}  // namespace kernbench
