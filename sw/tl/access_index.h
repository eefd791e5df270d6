// AccessIndex: index of the memory accesses of commands. Finds candidates for an overlap by their
// first and last byte without a scan of all commands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "models/address/phys_range.h"

namespace kernbench::tl {

class AccessIndex {
 public:
  void add(std::uint64_t command, const PhysRanges& ranges) {
    if (ranges.empty()) return;
    const auto [begin, end] = hull(ranges);
    by_begin_.insert({begin, {end, command}});
    longest_ = std::max(longest_, end - begin);
  }
  void remove(std::uint64_t command, const PhysRanges& ranges) {
    if (ranges.empty()) return;
    for (auto entry = by_begin_.lower_bound(hull(ranges).first);; ++entry) {
      if (entry->second.second != command) continue;
      by_begin_.erase(entry);
      break;
    }
    if (by_begin_.empty()) longest_ = 0;
  }
  // Calls `visit` with each command that may access one of the bytes.
  template <class Visit>
  void candidates(const PhysRanges& ranges, const Visit& visit) const {
    if (ranges.empty() || by_begin_.empty()) return;
    const auto [begin, end] = hull(ranges);
    auto entry = by_begin_.lower_bound(begin > longest_ ? begin - longest_ : 0);
    for (; entry != by_begin_.end() && entry->first < end; ++entry) {
      if (entry->second.first > begin) visit(entry->second.second);
    }
  }

 private:
  static std::pair<std::uint64_t, std::uint64_t> hull(const PhysRanges& ranges) {
    std::uint64_t begin = ranges[0].pa, end = begin;
    for (const PhysRange& range : ranges) {
      begin = std::min(begin, range.pa);
      end = std::max(end, range.pa + range.nbytes);
    }
    return {begin, end};
  }

  std::multimap<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> by_begin_;  // end, command
  std::uint64_t longest_ = 0;
};

}  // namespace kernbench::tl
