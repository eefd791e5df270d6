// Run of later flits of a leg at a server (spec 2.11): when they start, when they are handed over,
// and what they add to statistics by an instant. Arithmetic only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/protocol/arrival_queue.h"
#include "models/timing/router_state.h"

namespace kernbench {

struct RunCounts {
  std::uint64_t flits = 0;                            // handed over
  std::uint64_t waiting_fs = 0, longest_wait_fs = 0;  // of these
  std::uint64_t busy_fs = 0;  // of all; a run that has been handed over counts as a whole
};

// Each flit starts when it has arrived and the server is free, holds the server, and is handed over
// `latency` after its start.
struct ServedRun {
  Arrival flits;
  Fs free_at = 0;  // of the server, for the first flit
  Fs hold = 0, latency = 0;

  // Calls visit(const BookedFlits& starts, std::uint32_t index) for the flits from `index` on that
  // start at one pace; at most twice.
  template <class Visit>
  void for_each_pace(Visit visit) const {
    RouterState server{free_at};
    for (std::uint32_t index = 0; index < flits.count;) {
      const BookedFlits part =
          advance(server, flits.time_of(index), flits.spacing, flits.count - index, hold);
      visit(part, index);
      index += part.count;
    }
  }
  // When the server is free after them.
  Fs end() const {
    Fs end = free_at;
    for_each_pace([&](const BookedFlits& part, std::uint32_t) { end = part.end(part.count); });
    return end;
  }
  Fs last_hand_over() const { return end() - hold + latency; }
  std::uint32_t handed_over_before(Fs limit) const {
    std::uint32_t count = 0;
    for_each_pace([&](const BookedFlits& part, std::uint32_t) {
      count += flits_until(part.start + latency, part.pace, part.count, limit);
    });
    return count;
  }
  void count(Fs now, RunCounts& to) const {
    for_each_pace([&](const BookedFlits& part, std::uint32_t index) {
      const std::uint32_t left = flits_until(part.start + latency, part.pace, part.count, now + 1);
      if (index + left == flits.count) {
        to.busy_fs += part.count * hold;
      } else if (const auto started = flits_until(part.start, part.pace, part.count, now)) {
        const Fs end = part.end(started);
        to.busy_fs += started * hold - (end > now ? end - now : 0);
      }
      if (left == 0) return;
      const Fs first_wait = part.start - flits.time_of(index);
      const Fs more = part.pace - flits.spacing;  // modulo 2^64
      to.flits += left;
      to.waiting_fs += left * first_wait + std::uint64_t{left} * (left - 1) / 2 * more;
      to.longest_wait_fs =
          std::max({to.longest_wait_fs, first_wait, first_wait + (left - 1) * more});
    });
  }
};

}  // namespace kernbench
