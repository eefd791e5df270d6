// Interleaving of an HBM partition's bytes over its pseudo-channels, burst by burst (spec 2.5).
//
// The bytes of a channel are dense: burst k of channel c is burst k * channels + c of the
// partition. A range of the partition is therefore one range in each channel that it touches.
#pragma once

#include <cstdint>

namespace kernbench {

// Replaces a channel number in a request to the partition as a whole, which uses every channel that
// holds some of its bytes.
inline constexpr std::uint16_t every_channel = 0xffff;

struct ChannelInterleave {
  std::uint32_t channels = 1;  // both powers of two
  std::uint32_t burst_bytes = 256;

  // Offsets are offsets in the partition.
  std::uint16_t channel_of(std::uint64_t offset) const {
    return static_cast<std::uint16_t>(offset / burst_bytes % channels);
  }
  std::uint64_t offset_in_channel(std::uint64_t offset) const {
    return offset / round_bytes() * burst_bytes + offset % burst_bytes;
  }
  // Bytes of one burst on every channel.
  std::uint64_t round_bytes() const { return std::uint64_t{burst_bytes} * channels; }
};

}  // namespace kernbench
