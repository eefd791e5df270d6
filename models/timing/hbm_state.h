// The timing rule of an HBM partition's pseudo-channels (spec 2.5), and the only code that changes
// their state.
//
// A burst occupies its pseudo-channel for burst_time: start = max(now, available_at) +
// (switch_penalty if the direction changes); available_at = start + burst_time. Reads and writes
// share the channel. The first use pays no penalty; a change after idle does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/address/channel_interleave.h"
#include "models/base/units.h"

namespace kernbench {

enum class HbmDirection : std::uint8_t { none, read, write };

struct PseudoChannelState {
  Fs available_at = 0;
  HbmDirection last = HbmDirection::none;
};

// Bursts are counted from offset 0 of the partition, or of the one channel that a request is for;
// first and last that a range of bytes touches.
struct BurstRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count() const { return last - first + 1; }
};

struct HbmState {
  HbmState(std::uint32_t num_pcs, std::uint32_t burst_bytes, Fs burst_time_fs,
           Fs switch_penalty_fs)  // both counts powers of two
      : channels(num_pcs), burst_time(burst_time_fs), switch_penalty(switch_penalty_fs) {
    while ((std::uint64_t{1} << burst_shift) < burst_bytes) ++burst_shift;
  }

  // Channel of a burst of a request for `channel`.
  std::size_t channel_of(std::uint64_t burst, std::uint16_t channel = every_channel) const {
    return channel == every_channel ? burst & (channels.size() - 1) : channel;
  }
  // Number of channels over which the bursts of such a request are interleaved.
  std::size_t channels_of(std::uint16_t channel) const {
    return channel == every_channel ? channels.size() : 1;
  }
  BurstRange bursts_of(std::uint64_t offset, std::uint64_t bytes) const {  // bytes > 0
    return {offset >> burst_shift, (offset + bytes - 1) >> burst_shift};
  }

  std::vector<PseudoChannelState> channels;
  Fs burst_time;
  Fs switch_penalty;
  unsigned burst_shift = 0;
};

inline bool changes_direction(const PseudoChannelState& channel, HbmDirection direction) {
  return channel.last != HbmDirection::none && channel.last != direction;
}

// Books `bursts` > 0 bursts back to back on one channel; returns the finish of the first.
inline Fs book(HbmState& state, std::size_t channel, HbmDirection direction, Fs now,
               std::uint64_t bursts = 1) {
  PseudoChannelState& at = state.channels[channel];
  const Fs penalty = changes_direction(at, direction) ? state.switch_penalty : 0;
  const Fs finish = std::max(now, at.available_at) + penalty + state.burst_time;
  at.available_at = finish + (bursts - 1) * state.burst_time;
  at.last = direction;
  return finish;
}

}  // namespace kernbench
