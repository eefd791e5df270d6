// FreeListAllocator: the one allocator of spec 3.2, for HBM partitions, TCM, SRAM, scratch and the
// VA space (ADR-0048).
//
// First fit at the lowest address; free blocks are kept sorted and coalesce both ways. Allocating
// walks the free blocks, freeing searches in O(log n); both move the entries that follow. Unlike
// the source it records its allocations, so that misuse is always an error.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/small_vector.h"

namespace kernbench {

class FreeListAllocator {
 public:
  // Manages [base, base + size_bytes). `name` appears in errors ("sip0.cube3 hbm slice 2"). Every
  // block is rounded up to a multiple of `granule_bytes` (the page size of the VA space); base must
  // be a multiple of it.
  FreeListAllocator(std::string name, std::uint64_t base, std::uint64_t size_bytes,
                    std::uint64_t granule_bytes = 1);

  // Lowest free address that is a multiple of `alignment` (a power of two) with room for `nbytes` >
  // 0. Throws AllocationError with the requested size, the largest block and the total free.
  std::uint64_t allocate(std::uint64_t nbytes, std::uint64_t alignment = 1);
  // `nbytes`: size passed to allocate(). Throws AllocationError if `address` is not a live
  // allocation, or was of another size.
  void free(std::uint64_t address, std::uint64_t nbytes);

  std::uint64_t base() const { return base_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  std::uint64_t used_bytes() const { return used_bytes_; }  // with rounding to the granule
  std::uint64_t free_bytes() const { return size_bytes_ - used_bytes_; }
  std::uint64_t largest_free_bytes() const;
  std::size_t allocations() const { return allocated_.size(); }
  using Blocks = SmallFlatMap<std::uint64_t, std::uint64_t, 4>;  // start -> bytes
  const Blocks& free_blocks() const { return free_; }

 private:
  std::uint64_t rounded(std::uint64_t nbytes) const;

  std::string name_;
  std::uint64_t base_, size_bytes_, granule_bytes_;
  std::uint64_t used_bytes_ = 0;
  Blocks free_;
  Blocks allocated_;  // with the bytes asked for
};

}  // namespace kernbench
