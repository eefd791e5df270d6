// MemoryStore: every simulated byte, over the whole physical address space (spec 9).
//
// 64 KiB pages are created on first write; bytes never written are zero and cost nothing. A range
// holds bytes or a reference to a value not yet computed; a write of either replaces the previous
// contents, byte by byte.
//
// snapshot() shares the pages of which it covers at least half: such a page is copied when it is
// next written. Other pages are copied, once for all snapshots of the same bytes. A snapshot
// therefore keeps at most twice its size alive, whatever happens to the memory later.
// Single-threaded: the simulation's thread, or a reader after it. Snapshots may be read and dropped
// by other threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/address/phys_range.h"
#include "models/data/byte_image.h"

namespace kernbench {

class MemoryStore {
 public:
  static constexpr std::uint64_t page_bytes = 64 * 1024;

  void write_bytes(std::uint64_t pa, const void* data, std::uint64_t nbytes);
  // Repeats `pattern` (pattern_bytes: 1, 2, 4 or 8) over nbytes; whole pages of one call share one
  // copy.
  void fill(std::uint64_t pa, std::uint64_t nbytes, const void* pattern,
            std::uint64_t pattern_bytes);
  void clear(std::uint64_t pa, std::uint64_t nbytes);  // zeros the range and releases whole pages
  void write_value(std::uint64_t pa, const ValueRef& ref);
  void write_image(std::uint64_t pa, const ByteImage& image);
  void write_image(const PhysRanges& ranges, const ByteImage& image);  // sizes must agree

  ByteImage snapshot(std::uint64_t pa, std::uint64_t nbytes) const;
  ByteImage snapshot(const PhysRanges& ranges) const;
  // The bytes, if all are known; else PendingDataError naming the first that is not.
  std::vector<std::byte> read_bytes(std::uint64_t pa, std::uint64_t nbytes) const;
  bool known(std::uint64_t pa, std::uint64_t nbytes) const;

  std::size_t pages() const { return pages_.size(); }
  std::vector<ValueId> value_ids()
      const;  // values that memory still refers to; each once, ascending

 private:
  struct PendingRange {
    std::uint64_t end = 0;
    ValueId id = no_value;
    std::uint64_t offset = 0;  // offset of the range's first byte within the value
    ValueKeeper keeper = nullptr;
  };
  struct Page {
    SharedBytes bytes;
    // Copies of parts of `bytes`, by (offset, size), while a snapshot holds them.
    mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::weak_ptr<std::byte>> copies;

    SharedBytes part(std::uint64_t offset, std::uint64_t nbytes) const;
    void replace(SharedBytes other);
  };
  std::byte* writable_page(std::uint64_t index,
                           bool whole);  // `whole`: all of it is about to be written
  void forget_values(std::uint64_t begin, std::uint64_t end);
  void drop_whole_pages(std::uint64_t begin, std::uint64_t end);
  void append_known(ByteImage& image, std::uint64_t begin, std::uint64_t end) const;

  std::map<std::uint64_t, Page> pages_;  // by index
  std::map<std::uint64_t, PendingRange>
      pending_;  // begin -> range, disjoint; page bytes there are never read
};

}  // namespace kernbench
