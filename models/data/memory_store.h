// MemoryStore: every simulated byte, over the whole physical address space (spec 9).
//
// 64 KiB pages made on first write; what was never written is zero and costs nothing. A range holds bytes or a reference to a
// value not yet computed; a write of either replaces what was there, byte by byte. snapshot() shares pages: a page that a
// snapshot still holds is copied when it is next written.
//
// One writer: the simulation's thread. Snapshots may be read and dropped by others.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/address/phys_range.h"
#include "models/data/byte_image.h"

namespace kernbench {

class MemoryStore {
 public:
  static constexpr std::uint64_t page_bytes = 64 * 1024;

  void write_bytes(std::uint64_t pa, const void* data, std::uint64_t nbytes);
  // Repeats `pattern` (pattern_bytes: 1, 2, 4 or 8) over nbytes; whole pages of one call share one copy.
  void fill(std::uint64_t pa, std::uint64_t nbytes, const void* pattern, std::uint64_t pattern_bytes);
  void clear(std::uint64_t pa, std::uint64_t nbytes);  // zeros, and gives whole pages back
  void write_value(std::uint64_t pa, const ValueRef& ref);
  void write_image(std::uint64_t pa, const ByteImage& image);
  void write_image(const PhysRanges& ranges, const ByteImage& image);  // sizes must agree

  ByteImage snapshot(std::uint64_t pa, std::uint64_t nbytes) const;
  ByteImage snapshot(const PhysRanges& ranges) const;
  // The bytes, if all are known; else PendingDataError naming the first that is not.
  std::vector<std::byte> read_bytes(std::uint64_t pa, std::uint64_t nbytes) const;
  bool known(std::uint64_t pa, std::uint64_t nbytes) const;

  std::size_t pages() const { return pages_.size(); }
  std::vector<ValueId> value_ids() const;  // values that memory still refers to; each once, ascending

 private:
  struct PendingRange {
    std::uint64_t end = 0;
    ValueId id = no_value;
    std::uint64_t offset = 0;  // of the range's first byte within the value
  };
  std::byte* writable_page(std::uint64_t index, bool whole);  // `whole`: all of it is about to be written
  void forget_values(std::uint64_t begin, std::uint64_t end);
  void append_known(ByteImage& image, std::uint64_t begin, std::uint64_t end) const;

  std::map<std::uint64_t, SharedBytes> pages_;           // page index -> bytes
  std::map<std::uint64_t, PendingRange> pending_;        // begin -> range, disjoint
};

}  // namespace kernbench
