// Bursts of an HBM partition, and their interleaving over its pseudo-channels (spec 2.5).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/address/channel_interleave.h"
#include "models/base/units.h"

namespace kernbench {

enum class HbmDirection : std::uint8_t { none, read, write };

// Burst `index` of the channel's own bytes, which are dense (models/address/channel_interleave.h).
struct HbmBurst {
  std::size_t channel = 0;
  std::uint64_t index = 0;
  HbmDirection direction = HbmDirection::read;
};

// The time for which a burst occupies its channel.
struct HbmSlot {
  Fs start = 0;
  Fs finish = 0;
};

// Bursts are counted from offset 0 of the partition, or of the one channel that a request is for;
// first and last that a range of bytes touches.
struct BurstRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count() const { return last - first + 1; }
};

struct HbmInterleave {
  HbmInterleave(std::uint32_t num_pcs, std::uint32_t burst_bytes)  // both powers of two
      : channel_mask(num_pcs - 1) {
    while ((std::uint64_t{1} << burst_shift) < burst_bytes) ++burst_shift;
    while ((std::uint64_t{1} << channel_shift) < num_pcs) ++channel_shift;
  }

  // Channel of a burst of a request for `channel`.
  std::size_t channel_of(std::uint64_t burst, std::uint16_t channel = every_channel) const {
    return channel == every_channel ? burst & channel_mask : channel;
  }
  // The burst in its channel.
  std::uint64_t index_of(std::uint64_t burst, std::uint16_t channel = every_channel) const {
    return channel == every_channel ? burst >> channel_shift : burst;
  }
  // Number of channels over which the bursts of such a request are interleaved.
  std::size_t channels_of(std::uint16_t channel) const {
    return channel == every_channel ? channel_mask + 1 : 1;
  }
  BurstRange bursts_of(std::uint64_t offset, std::uint64_t bytes) const {  // bytes > 0
    return {offset >> burst_shift, (offset + bytes - 1) >> burst_shift};
  }
  std::uint32_t burst_bytes() const { return std::uint32_t{1} << burst_shift; }

  std::size_t channel_mask;
  unsigned burst_shift = 0;
  unsigned channel_shift = 0;
};

}  // namespace kernbench
