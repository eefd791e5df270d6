// Memory map: ranges of physical addresses and their memory nodes.
//
// Every request of every DMA looks it up: a directory of dies leaves the few ranges of one die to
// be searched, whatever the size of the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/address/address_map.h"
#include "models/base/component.h"

namespace kernbench {

// Location in a memory node.
struct MemoryTarget {
  NodeId node = no_node;
  std::uint64_t offset = 0;
};

// All bytes of a memory, or of a part of it that starts at its offset 0.
struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t nbytes = 0;
  NodeId node = no_node;
};

class MemoryMap {
 public:
  MemoryMap() = default;  // no memory at all
  // Ranges in any order, at least a byte each; ModelError if two overlap. `layout`: the fields of
  // an address, for errors that name the wrong one; without it any range is allowed.
  explicit MemoryMap(std::vector<MemoryRange> ranges, std::optional<AddressMap> layout = {});

  // Memory node and offset of a physical address. Throws AddressError or RoutingError (spec 3.1).
  MemoryTarget place_of(std::uint64_t physical_address) const;

  // Range of a node; nullopt if it has no memory, or an empty one.
  std::optional<MemoryRange> range_of(NodeId node) const;

  const std::vector<MemoryRange>& ranges() const { return ranges_; }  // by ascending base
  const std::optional<AddressMap>& layout() const { return layout_; }

 private:
  static constexpr unsigned die_shift = 42;  // spec 3.1
  static constexpr std::uint64_t dies = PhysAddr::end >> die_shift;
  [[noreturn]] void refuse(std::uint64_t physical_address) const;
  void build_directory();

  std::vector<MemoryRange> ranges_;
  std::vector<std::uint64_t> bases_;  // bases of the ranges: stored densely for the search
  // [die]: the last range that begins at or below the first address of the die, else 0; after the
  // last die the number of ranges. Addresses beyond the last die count as its own.
  std::vector<std::uint32_t> directory_;
  std::vector<std::uint32_t> by_node_;  // [node]: its position in ranges_, or their number
  std::optional<AddressMap> layout_;
};

}  // namespace kernbench
