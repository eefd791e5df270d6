#include "models/timing/lower_bound.h"

#include <algorithm>

namespace kernbench {
namespace {

// The same cut as RouteExtension::cut_flits, in numbers.
struct FlitCut {
  std::uint64_t count, first, last;
  std::uint32_t full;
};

FlitCut cut(const MemoryMessage& message) {
  const std::uint64_t skew = message.offset % message.flit_bytes;
  const std::uint64_t count = (skew + message.bytes + message.flit_bytes - 1) / message.flit_bytes;
  const std::uint64_t first = std::min<std::uint64_t>(message.bytes, message.flit_bytes - skew);
  const std::uint64_t last = count == 1 ? first : message.bytes - first - (count - 2) * message.flit_bytes;
  return {count, first, last, message.flit_bytes};
}

Fs payload_fs(const FlitCut& flits, const Rational& bw_gbs) {
  const Fs first = transfer_fs(flits.first, bw_gbs);
  if (flits.count == 1) return first;
  return first + (flits.count - 2) * transfer_fs(flits.full, bw_gbs) + transfer_fs(flits.last, bw_gbs);
}

// Positions [begin, end] of a path without a storing node between them: from the hand-over at `begin` to the last flit's arrival
// at `end`.
Fs part_bound(const Path& path, std::uint32_t begin, std::uint32_t end, const FlitCut& flits) {
  Fs behind = 0;
  for (std::uint32_t i = begin; i < end; ++i) behind += transfer_fs(flits.last, path.hop(i).bw_gbs) + path.hop(i).propagation_fs;
  Fs bound = 0;
  Fs up = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const PathHop& hop = path.hop(i);
    if (i > begin) up += hop.overhead_fs;
    behind -= transfer_fs(flits.last, hop.bw_gbs) + hop.propagation_fs;
    bound = std::max(bound, up + payload_fs(flits, hop.bw_gbs) + hop.propagation_fs + behind);
    up += transfer_fs(flits.first, hop.bw_gbs) + hop.propagation_fs;
  }
  return bound;
}

struct LegBound {
  Fs last_flit = 0;   // until the last flit has arrived at the target
  Fs first_flit = 0;  // until the first has
};

LegBound leg_bound(const Path& path, const FlitCut& flits, const std::vector<bool>& stores) {
  LegBound bound;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 1; i <= path.target_position(); ++i) {
    const bool target = i == path.target_position();
    if (!target && !(i < stores.size() && stores[i])) continue;
    const Fs part = part_bound(path, begin, i, flits);
    if (target) {
      bound.first_flit = bound.last_flit;
      for (std::uint32_t j = begin; j < i; ++j) {
        const PathHop& hop = path.hop(j);
        bound.first_flit += transfer_fs(flits.first, hop.bw_gbs) + hop.propagation_fs + (j > begin ? hop.overhead_fs : 0);
      }
      bound.last_flit += part;
    } else {
      bound.last_flit += part + path.hop(i).overhead_fs;
    }
    begin = i;
  }
  return bound;
}

// A header alone: the overhead of every node passed, every propagation.
Fs control_leg(const Path& path) {
  Fs total = 0;
  for (std::uint32_t i = 0; i < path.target_position(); ++i) total += path.hop(i).propagation_fs + (i > 0 ? path.hop(i).overhead_fs : 0);
  return total;
}

}  // namespace

MessageBound lower_bound(const Path& path, const MemoryMessage& message) {
  const FlitCut flits = cut(message);
  MessageBound bound;
  bound.initiator = message.initiator_overhead;
  bound.memory = message.memory_is_hbm ? message.burst_time : 0;
  if (message.write) {
    const LegBound leg = leg_bound(path, flits, message.stores);
    bound.data = message.memory_is_hbm ? std::max(leg.last_flit, leg.first_flit + message.memory_overhead) : leg.last_flit + message.memory_overhead;
    bound.control = message.posted ? 0 : control_leg(path.reverse());
    return bound;
  }
  bound.control = control_leg(path) + message.memory_overhead;
  std::vector<bool> stores(message.stores.rbegin(), message.stores.rend());
  bound.data = leg_bound(path.reverse(), flits, stores).last_flit;
  return bound;
}

}  // namespace kernbench
