#include "platform/topology/lower_bound.h"

#include <algorithm>

namespace kernbench {
namespace {

Fs payload_fs(const FlitCut& flits, const Rational& bw_gbs) {
  const Fs first = transfer_fs(flits.first, bw_gbs);
  if (flits.count == 1) return first;
  return first + (flits.count - 2) * transfer_fs(flits.full, bw_gbs) +
         transfer_fs(flits.last, bw_gbs);
}

// Bound for positions [begin, end] of a path without a storing node between them: from the
// hand-over at `begin` to the last flit's arrival at `end`. Adds the first flit's arrivals behind
// `begin`, `start` later.
Fs part_bound(const Path& path, std::uint32_t begin, std::uint32_t end, const FlitCut& flits,
              const Transits& nodes, Fs start, std::vector<Fs>& first) {
  const auto times_at = [&](std::uint32_t i) {
    return transit_at(nodes, i).times(path.hop(i).overhead_fs);
  };
  Fs behind = 0;  // traversal time of the last flit over the links and nodes behind link i
  for (std::uint32_t i = begin; i < end; ++i) {
    if (i > begin) behind += times_at(i).later_latency;
    behind += transfer_fs(flits.last, path.hop(i).bw_gbs) + path.hop(i).propagation_fs;
  }
  Fs bound = 0;
  Fs up = 0;  // traversal time of the first flit up to link i
  for (std::uint32_t i = begin; i < end; ++i) {
    const PathHop& hop = path.hop(i);
    const Fs payload = payload_fs(flits, hop.bw_gbs);
    const Fs last = transfer_fs(flits.last, hop.bw_gbs) + hop.propagation_fs;
    if (i > begin) {
      const ServerTimes times = times_at(i);
      behind -= times.later_latency;
      if (transit_at(nodes, i).pipelined && flits.count > 1) {
        const Fs entry = up + times.later_latency + times.hold;
        const Fs rest = payload - transfer_fs(flits.first, hop.bw_gbs) + hop.propagation_fs;
        bound = std::max({bound, entry + (flits.count - 2) * times.later_hold + behind,
                          entry + rest + (behind - last)});
      }
      up += times.latency;
    }
    behind -= last;
    bound = std::max(bound, up + payload + hop.propagation_fs + behind);
    up += transfer_fs(flits.first, hop.bw_gbs) + hop.propagation_fs;
    first.push_back(start + up);
  }
  return bound;
}

}  // namespace

LegBound control_leg(const Path& path) {
  LegBound leg;
  leg.first.push_back(0);
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    leg.last += path.hop(i).propagation_fs + (i > 0 ? path.hop(i).overhead_fs : 0);
    leg.first.push_back(leg.last);
  }
  return leg;
}

LegBound data_leg(const Path& path, const FlitCut& flits, const Transits& nodes) {
  LegBound leg;
  leg.first.push_back(0);
  std::uint32_t begin = 0;
  for (std::uint32_t i = 1; i <= path.target_position(); ++i) {
    const bool target = i == path.target_position();
    if (!target && !transit_at(nodes, i).stores) continue;
    leg.last += part_bound(path, begin, i, flits, nodes, leg.last, leg.first);
    if (!target) leg.last += path.hop(i).overhead_fs;
    begin = i;
  }
  return leg;
}

MessageBound lower_bound(const Path& path, const MemoryMessage& message) {
  const FlitCut flits(message);
  MessageBound bound;
  bound.initiator = message.initiator_overhead;
  bound.burst = message.memory_is_hbm ? message.burst_lead + message.burst_time : 0;
  if (message.write) {
    const LegBound leg = data_leg(path, flits, message.request_nodes);
    bound.data = message.memory_is_hbm
                     ? std::max(leg.last, leg.first.back() + message.memory_overhead)
                     : leg.last + message.memory_overhead;
    bound.control = message.posted ? 0 : control_leg(path.reverse()).last;
    return bound;
  }
  bound.control = control_leg(path).last + message.memory_overhead;
  bound.data = data_leg(path.reverse(), flits, message.response_nodes).last;
  return bound;
}

}  // namespace kernbench
