// Timing policy of an HBM partition's pseudo-channels (spec 2.5), and the only code that changes
// their state.
//
// A burst occupies its pseudo-channel for burst_time: start = max(now, available_at) +
// (switch_penalty if the direction changes); available_at = start + burst_time. Reads and writes
// share the channel. The first use pays no penalty; a change after idle does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/timing/hbm_burst.h"

namespace kernbench {

struct PseudoChannelState {
  Fs available_at = 0;
  HbmDirection last = HbmDirection::none;
  std::uint64_t direction_switches = 0;
};

struct HbmState : HbmInterleave {
  HbmState(std::uint32_t num_pcs, std::uint32_t burst_bytes, Fs burst_time_fs,
           Fs switch_penalty_fs)  // both counts powers of two
      : HbmInterleave(num_pcs, burst_bytes), channels(num_pcs), burst_time(burst_time_fs),
        switch_penalty(switch_penalty_fs) {}

  std::vector<PseudoChannelState> channels;
  Fs burst_time;
  Fs switch_penalty;
};

inline bool changes_direction(const PseudoChannelState& channel, HbmDirection direction) {
  return channel.last != HbmDirection::none && channel.last != direction;
}

// Books `bursts` > 0 bursts back to back on one channel; returns the finish of the first.
inline Fs book(HbmState& state, std::size_t channel, HbmDirection direction, Fs now,
               std::uint64_t bursts = 1) {
  PseudoChannelState& at = state.channels[channel];
  Fs start = std::max(now, at.available_at);
  if (changes_direction(at, direction)) {
    start += state.switch_penalty;
    ++at.direction_switches;
  }
  const Fs finish = start + state.burst_time;
  at.available_at = finish + (bursts - 1) * state.burst_time;
  at.last = direction;
  return finish;
}

}  // namespace kernbench
