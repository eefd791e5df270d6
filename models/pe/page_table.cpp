#include "models/pe/page_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "models/address/mapping_fault.h"
#include "models/address/virtual_space.h"

namespace kernbench {

void PageTable::map(std::uint64_t va, std::uint64_t pa, std::uint64_t bytes) {
  if (bytes == 0) return;
  known_.clear();
  const auto next = extents_.lower_bound({va, 0});
  overlaps_ = !extents_.empty() &&
              (overlaps_ || (next != extents_.end() && next->first.begin < va + bytes) ||
               (next != extents_.begin() && std::prev(next)->second.end > va));
  extents_.emplace_hint(next, Key{va, next_sequence_++}, Extent{va + bytes, pa});
  longest_ = std::max(longest_, bytes);
}

PageTable::Extents::const_iterator PageTable::first_near(std::uint64_t va) const {
  if (overlaps_) return extents_.lower_bound({va < longest_ ? 0 : va - longest_, 0});
  const auto next = extents_.upper_bound({va, ~std::uint64_t{0}});
  return next == extents_.begin() ? next : std::prev(next);
}

void PageTable::unmap(std::uint64_t va, std::uint64_t bytes) {
  known_.clear();
  const std::uint64_t end = va + bytes;
  std::vector<std::pair<Key, Extent>> rest;
  for (auto it = first_near(va); it != extents_.end() && it->first.begin < end;) {
    const Key key = it->first;
    const Extent extent = it->second;
    // Regions that are wholly inside: whole regions only, so a cut is at a page boundary.
    const std::uint64_t cut_begin =
        key.begin >= va ? key.begin : (va + page_bytes_ - 1) / page_bytes_ * page_bytes_;
    const std::uint64_t cut_end = extent.end <= end ? extent.end : end / page_bytes_ * page_bytes_;
    if (cut_begin >= cut_end || cut_begin >= extent.end || cut_end <= key.begin) {
      ++it;
      continue;
    }
    it = extents_.erase(it);
    if (key.begin < cut_begin) rest.push_back({key, {cut_begin, extent.pa}});
    if (cut_end < extent.end)
      rest.push_back({{cut_end, key.sequence}, {extent.end, extent.pa + (cut_end - key.begin)}});
  }
  for (const auto& [key, extent] : rest) extents_[key] = extent;
}

PageTable::Extents::const_iterator PageTable::winner(std::uint64_t va) const {
  auto best = extents_.end();
  for (auto it = first_near(va); it != extents_.end() && it->first.begin <= va; ++it) {
    if (it->second.end > va &&
        (best == extents_.end() || best->first.sequence < it->first.sequence))
      best = it;
  }
  return best;
}

PhysRanges PageTable::look_up(std::uint64_t va, std::uint64_t bytes) const {
  for (const Known& known : known_) {
    if (known.va == va && known.bytes == bytes) return known.ranges;
  }
  Known found{va, bytes, ranges_of(va, bytes)};
  if (known_.size() < most_known) {
    known_.push_back(found);
  } else {
    known_[oldest_++ % most_known] = found;
  }
  return std::move(found.ranges);
}

PhysRanges PageTable::ranges_of(std::uint64_t va, std::uint64_t bytes) const {
  PhysRanges ranges;
  const std::uint64_t end = va + bytes;
  for (std::uint64_t at = va; at < end;) {
    const auto best = winner(at);
    if (best == extents_.end())
      throw MappingFault(at,
                         fmt::format("no mapping for virtual address {} (access of {} bytes at {})",
                                     format_address(at), bytes, format_address(va)));
    std::uint64_t until = std::min(end, best->second.end);
    for (auto it = extents_.upper_bound({at, ~std::uint64_t{0}});
         it != extents_.end() && it->first.begin < until; ++it) {
      if (it->first.sequence > best->first.sequence) until = it->first.begin;
    }
    const std::uint64_t pa = best->second.pa + (at - best->first.begin);
    if (!ranges.empty() && ranges.back().pa + ranges.back().nbytes == pa) {
      ranges.back().nbytes += until - at;
    } else {
      ranges.push_back({pa, until - at});
    }
    at = until;
  }
  return ranges;
}

}  // namespace kernbench
