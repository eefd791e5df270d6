// Page table of a PE: virtual ranges and the physical ranges behind them (spec 3.3, ADR-0039).
//
// Behaves as page -> list of sub-page regions: a mapping is one region per page that it touches; a
// look-up returns the region that was mapped last; unmap removes only regions that are wholly
// inside its range, which uncovers earlier mappings. Regions of one mapping on neighbouring pages
// are kept as one extent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/address/phys_range.h"

namespace kernbench {

class PageTable {
 public:
  explicit PageTable(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

  void map(std::uint64_t va, std::uint64_t pa, std::uint64_t bytes);
  void unmap(std::uint64_t va, std::uint64_t bytes);

  // Physical ranges of [va, va + bytes); contiguous neighbours are one range. Throws
  // MappingFault.
  PhysRanges look_up(std::uint64_t va, std::uint64_t bytes) const;

  std::size_t extents() const { return extents_.size(); }

 private:
  struct Extent {
    std::uint64_t end = 0;  // end of the virtual range
    std::uint64_t pa = 0;   // physical address of its begin
  };
  // Later mappings have larger sequence numbers.
  struct Key {
    std::uint64_t begin = 0;
    std::uint64_t sequence = 0;
    friend bool operator<(const Key& a, const Key& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.sequence < b.sequence;
    }
  };
  using Extents = std::map<Key, Extent>;

  Extents::const_iterator winner(std::uint64_t va) const;
  // First extent that may reach `va`.
  Extents::const_iterator first_near(std::uint64_t va) const;

  PhysRanges ranges_of(std::uint64_t va, std::uint64_t bytes) const;

  // Look-ups since the table changed: kernels repeat look-ups of the same blocks, and PE_DMA looks
  // each of them up once more.
  struct Known {
    std::uint64_t va = 0, bytes = 0;
    PhysRanges ranges;
  };
  static constexpr std::size_t most_known = 8;

  std::uint64_t page_bytes_;
  mutable std::vector<Known> known_;
  mutable std::size_t oldest_ = 0;
  Extents extents_;
  std::uint64_t longest_ = 0;  // longest extent so far
  bool overlaps_ = false;      // two extents have overlapped since the table was last empty
  std::uint64_t next_sequence_ = 0;
};

}  // namespace kernbench
