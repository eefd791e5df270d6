// Ids of transactions, by which simultaneous arrivals are ordered (spec 2.3).
#pragma once

#include <cstdint>
#include <tuple>

#include "models/base/node_id.h"
#include "models/base/units.h"

namespace kernbench {

// Ids compare by (issue time, initiator's name, count at that initiator): spec 2.3. A response
// keeps its request's id.
struct TieKey {
  Fs issued = 0;
  NodeId initiator = 0;
  std::uint32_t count = 0;

  // Number for waveforms: the initiator above 32 bits of its count.
  std::uint64_t number() const { return static_cast<std::uint64_t>(initiator) << 32 | count; }

  friend bool operator<(const TieKey& a, const TieKey& b) {
    return std::tie(a.issued, a.initiator, a.count) < std::tie(b.issued, b.initiator, b.count);
  }
  friend bool operator==(const TieKey& a, const TieKey& b) {
    return a.issued == b.issued && a.initiator == b.initiator && a.count == b.count;
  }
};

// Ids of the transactions of one initiator.
class TieKeySource {
 public:
  explicit TieKeySource(NodeId initiator) : initiator_(initiator) {}
  TieKey next(Fs now) { return {now, initiator_, count_++}; }

 private:
  NodeId initiator_;
  std::uint32_t count_ = 0;
};

}  // namespace kernbench
