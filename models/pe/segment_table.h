// Segment table of the BAAW stage of PE_DMA: segments of the logical address space and their
// location (spec 3.3; ADR-0011 D-LA3).
//
// A segment in n_to_one is contiguous. The bursts of one in one_to_one go round its channels: burst
// j is on the channel of pa_bases[j mod channels], j / channels rounds further on. Segments do not
// overlap, and are removed as they were installed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/address/channel_interleave.h"
#include "models/address/phys_range.h"
#include "models/protocol/host_messages.h"

namespace kernbench {

// Physical request of an access: one for each segment in n_to_one, one for each channel that it
// touches in one_to_one.
struct LogicalRequest {
  std::uint64_t pa = 0;  // physical address of its first byte
  std::uint64_t nbytes = 0;
  std::uint64_t position = 0;  // position of its first byte in the access
  bool one_channel = false;    // all its bytes are on one channel from pa on

  friend bool operator==(const LogicalRequest& a, const LogicalRequest& b) {
    return a.pa == b.pa && a.nbytes == b.nbytes && a.position == b.position &&
           a.one_channel == b.one_channel;
  }
};

class SegmentTable {
 public:
  explicit SegmentTable(const ChannelInterleave& hbm) : hbm_(hbm) {}

  // Throws AddressError if the segment overlaps an installed one, or if its physical bases do not
  // match its channels' bursts.
  void install(const BaawSegment& segment);
  // Throws AddressError unless a segment was installed with this base and size.
  void check_installed(std::uint64_t la_base, std::uint64_t la_size) const;
  void remove(std::uint64_t la_base,
              std::uint64_t la_size);  // requires a segment with this base and size

  // Requests of [la, la + bytes), in the order of the first bytes. Throws AccessFault naming the
  // first address without a segment.
  std::vector<LogicalRequest> requests(std::uint64_t la, std::uint64_t bytes) const;
  // Physical ranges of the bytes, in their order; contiguous neighbours are one range. Throws like
  // requests().
  PhysRanges look_up(std::uint64_t la, std::uint64_t bytes) const;

  std::size_t size() const { return segments_.size(); }

 private:
  using Segments = std::map<std::uint64_t, BaawSegment>;  // by la_base

  // Calls take(segment, offset in it, bytes, position in the access) for every segment that [la, la
  // + bytes) touches.
  template <class Take>
  void for_each_segment(std::uint64_t la, std::uint64_t bytes, Take take) const;
  void check_bases(const BaawSegment& segment) const;
  std::uint64_t skew(const BaawSegment& segment) const {
    return segment.pa_bases.front() % hbm_.burst_bytes;
  }
  // Address of byte `at` of the segment, counted from the begin of its first burst.
  std::uint64_t physical(const BaawSegment& segment, std::uint64_t at) const;

  ChannelInterleave hbm_;
  Segments segments_;
};

}  // namespace kernbench
