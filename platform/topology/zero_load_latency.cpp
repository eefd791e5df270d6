#include "platform/topology/zero_load_latency.h"

#include <algorithm>
#include <vector>

#include "models/timing/hbm_read.h"
#include "models/timing/hbm_state.h"
#include "models/timing/link_state.h"
#include "models/timing/router_state.h"
#include "models/timing/service_time.h"
#include "platform/topology/lower_bound.h"

namespace kernbench {
namespace {

using Times = std::vector<Fs>;  // by flit

// Times from the hand-overs at position 0 to the arrivals at the target.
Times carry(const Path& path, const FlitCut& flits, const Transits& nodes, Times at) {
  for (std::uint32_t i = 0; i < path.target_position(); ++i) {
    const PathHop& hop = path.hop(i);
    const ServiceTime service(hop.bw_gbs, static_cast<std::uint32_t>(flits.full));
    LinkState link;
    for (std::size_t k = 0; k < at.size(); ++k)
      at[k] = advance(link, at[k], service.of(flits.bytes_of(k))) + hop.propagation_fs;

    const std::uint32_t next = i + 1;
    if (next == path.target_position()) break;
    const Fs overhead = path.hop(next).overhead_fs;
    const Transit node = transit_at(nodes, next);
    if (node.stores) {
      at.assign(at.size(), at.back() + overhead);
      continue;
    }
    const ServerTimes times = node.times(overhead);
    RouterState server;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Fs start = hand_over_time(server, at[k], 0);
      advance(server, at[k], times.hold_of(k == 0));
      at[k] = start + times.latency_of(k == 0);
    }
  }
  return at;
}

HbmState idle_hbm(const MemoryMessage& message) {
  return {message.num_pcs, message.burst_bytes, message.burst_time, 0};
}

// Time at which the write has committed.
Fs commit(const MemoryMessage& message, const FlitCut& flits, const Times& arrivals,
          Bursts bursts) {
  if (!message.memory_is_hbm) return arrivals.back() + message.memory_overhead;
  HbmState hbm = idle_hbm(message);
  RouterState inbox;
  Fs commit = 0;
  for (std::size_t k = 0; k < arrivals.size(); ++k) {
    const Fs through = advance(inbox, arrivals[k], k == 0 ? message.memory_overhead : 0);
    commit = std::max(commit, through + message.burst_time);
    if (bursts == Bursts::side_by_side) continue;
    const BurstRange range = hbm.bursts_of(flits.offset_of(k), flits.bytes_of(k));
    for (std::uint64_t burst = range.first; burst <= range.last; ++burst) {
      commit = std::max(commit, book(hbm, hbm.channel_of(burst), HbmDirection::write, through));
    }
  }
  return commit;
}

// Times at which the flits of the response are queued at the memory's link.
Times answers(const MemoryMessage& message, const FlitCut& flits, Fs command, Bursts bursts) {
  Times at(flits.count, command + message.memory_overhead + message.burst_lead);
  if (!message.memory_is_hbm) return at;
  if (bursts == Bursts::side_by_side) {
    at.assign(at.size(), at.front() + message.burst_time);
    return at;
  }
  HbmState hbm = idle_hbm(message);
  HbmRead read;
  read.book_all(hbm, message.offset, message.bytes, at.front());
  for (std::size_t k = 0; k < at.size(); ++k)
    at[k] = read.ready(flits.offset_of(k) + flits.bytes_of(k) - 1);
  return at;
}

}  // namespace

Fs zero_load_latency(const Path& path, const MemoryMessage& message, Bursts bursts) {
  const FlitCut flits(message);
  if (message.write) {
    const Times arrivals =
        carry(path, flits, message.request_nodes, Times(flits.count, message.initiator_overhead));
    const Fs committed = commit(message, flits, arrivals, bursts);
    return message.posted ? committed : committed + control_leg(path.reverse()).last;
  }
  const Fs command = message.initiator_overhead + control_leg(path).last;
  return carry(path.reverse(), flits, message.response_nodes,
               answers(message, flits, command, bursts))
      .back();
}

}  // namespace kernbench
