#include "models/pe/segment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/address/mapping_fault.h"
#include "models/address/virtual_space.h"
#include "models/base/errors.h"

namespace kernbench {
namespace {

std::string describe(std::uint64_t la_base, std::uint64_t la_size) {
  return fmt::format("segment of {} bytes at {}", la_size, format_address(la_base));
}

void append(PhysRanges& ranges, std::uint64_t pa, std::uint64_t nbytes) {
  if (!ranges.empty() && ranges.back().pa + ranges.back().nbytes == pa) {
    ranges.back().nbytes += nbytes;
  } else {
    ranges.push_back({pa, nbytes});
  }
}

}  // namespace

// --- Segments

void SegmentTable::install(const BaawSegment& segment) {
  check_bases(segment);
  const auto next = segments_.lower_bound(segment.la_base);
  const BaawSegment* other = nullptr;
  if (next != segments_.end() && next->first - segment.la_base < segment.la_size)
    other = &next->second;
  if (next != segments_.begin()) {
    const BaawSegment& before = std::prev(next)->second;
    if (segment.la_base - before.la_base < before.la_size) other = &before;
  }
  if (other != nullptr) {
    throw AddressError(fmt::format("{} overlaps the {}", describe(segment.la_base, segment.la_size),
                                   describe(other->la_base, other->la_size)));
  }
  segments_.emplace_hint(next, segment.la_base, segment);
}

void SegmentTable::check_bases(const BaawSegment& segment) const {
  if (segment.mode == HbmMapping::n_to_one) return;
  const std::string which = describe(segment.la_base, segment.la_size);
  const std::uint64_t bursts =
      (skew(segment) + segment.la_size + hbm_.burst_bytes - 1) / hbm_.burst_bytes;
  const std::uint64_t touched = std::min<std::uint64_t>(hbm_.channels, bursts);
  if (segment.pa_bases.size() != touched) {
    throw AddressError(fmt::format("{} has {} physical bases, but its bursts touch {} channels",
                                   which, segment.pa_bases.size(), touched));
  }
  for (std::size_t i = 1; i < segment.pa_bases.size(); ++i) {
    if (segment.pa_bases[i] % hbm_.burst_bytes == 0) continue;
    throw AddressError(fmt::format("{}: physical base {} is not where a burst begins", which,
                                   format_address(segment.pa_bases[i])));
  }
}

void SegmentTable::check_installed(std::uint64_t la_base, std::uint64_t la_size) const {
  const auto found = segments_.find(la_base);
  if (found == segments_.end())
    throw AddressError(fmt::format("the {} is not installed", describe(la_base, la_size)));
  if (found->second.la_size == la_size) return;
  throw AddressError(fmt::format("the {} is not installed, but a {}", describe(la_base, la_size),
                                 describe(la_base, found->second.la_size)));
}

void SegmentTable::remove(std::uint64_t la_base, std::uint64_t la_size) {
  check_installed(la_base, la_size);
  segments_.erase(la_base);
}

// --- Look-ups

template <class Take>
void SegmentTable::for_each_segment(std::uint64_t la, std::uint64_t bytes, Take take) const {
  for (std::uint64_t position = 0; position < bytes;) {
    const std::uint64_t at = la + position;
    auto found = segments_.upper_bound(at);
    if (found != segments_.begin()) --found;
    if (found == segments_.end() || at - found->first >= found->second.la_size) {
      throw MappingFault(at,
                         fmt::format("no segment for logical address {} (access of {} bytes at {})",
                                     format_address(at), bytes, format_address(la)));
    }
    const std::uint64_t offset = at - found->first;
    const std::uint64_t length = std::min(bytes - position, found->second.la_size - offset);
    take(found->second, offset, length, position);
    position += length;
  }
}

std::uint64_t SegmentTable::physical(const BaawSegment& segment, std::uint64_t at) const {
  const std::uint64_t burst = at / hbm_.burst_bytes;
  const std::uint64_t base = segment.pa_bases[burst % hbm_.channels];
  return base - base % hbm_.burst_bytes + burst / hbm_.channels * hbm_.round_bytes() +
         at % hbm_.burst_bytes;
}

std::vector<LogicalRequest> SegmentTable::requests(std::uint64_t la, std::uint64_t bytes) const {
  std::vector<LogicalRequest> requests;
  const auto take = [&](const BaawSegment& segment, std::uint64_t offset, std::uint64_t length,
                        std::uint64_t position) {
    if (segment.mode == HbmMapping::n_to_one) {
      requests.push_back({segment.pa_bases.front() + offset, length, position, false});
      return;
    }
    // Bytes per channel are whole bursts, except for the first and the last of the access.
    const std::uint64_t begin = skew(segment) + offset, end = begin + length;
    const std::uint64_t first_burst = begin / hbm_.burst_bytes,
                        last_burst = (end - 1) / hbm_.burst_bytes;
    for (std::uint64_t burst = first_burst;
         burst <= last_burst && burst < first_burst + hbm_.channels; ++burst) {
      const std::uint64_t rounds = (last_burst - burst) / hbm_.channels;
      const std::uint64_t last = burst + rounds * hbm_.channels;
      const std::uint64_t from = std::max(begin, burst * hbm_.burst_bytes);
      const std::uint64_t before = from - burst * hbm_.burst_bytes;
      const std::uint64_t behind =
          (last + 1) * hbm_.burst_bytes - std::min(end, (last + 1) * hbm_.burst_bytes);
      requests.push_back({physical(segment, from),
                          (rounds + 1) * hbm_.burst_bytes - before - behind,
                          position + (from - begin), true});
    }
  };
  for_each_segment(la, bytes, take);
  return requests;
}

PhysRanges SegmentTable::look_up(std::uint64_t la, std::uint64_t bytes) const {
  PhysRanges ranges;
  const auto take = [&](const BaawSegment& segment, std::uint64_t offset, std::uint64_t length,
                        std::uint64_t /*position*/) {
    if (segment.mode == HbmMapping::n_to_one)
      return append(ranges, segment.pa_bases.front() + offset, length);
    const std::uint64_t end = skew(segment) + offset + length;
    for (std::uint64_t at = skew(segment) + offset; at < end;) {
      const std::uint64_t next = std::min(end, (at / hbm_.burst_bytes + 1) * hbm_.burst_bytes);
      append(ranges, physical(segment, at), next - at);
      at = next;
    }
  };
  for_each_segment(la, bytes, take);
  return ranges;
}

}  // namespace kernbench
