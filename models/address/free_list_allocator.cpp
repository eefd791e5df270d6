#include "models/address/free_list_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench {
namespace {

std::string bytes(std::uint64_t count) { return fmt::format("{} bytes", count); }

}  // namespace

FreeListAllocator::FreeListAllocator(std::string name, std::uint64_t base, std::uint64_t size_bytes,
                                     std::uint64_t granule_bytes)
    : name_(std::move(name)), base_(base), size_bytes_(size_bytes), granule_bytes_(granule_bytes) {
  if (granule_bytes_ == 0 || base_ % granule_bytes_ != 0)
    throw AllocationError(fmt::format("{}: the base is not a multiple of the granule", name_));
  size_bytes_ -= size_bytes_ % granule_bytes_;
  if (size_bytes_ > 0) free_.emplace(base_, size_bytes_);
}

std::uint64_t FreeListAllocator::rounded(std::uint64_t nbytes) const {
  const std::uint64_t over = nbytes % granule_bytes_;
  return over == 0 ? nbytes : nbytes + (granule_bytes_ - over);
}

std::uint64_t FreeListAllocator::allocate(std::uint64_t nbytes, std::uint64_t alignment) {
  if (nbytes == 0) throw AllocationError(fmt::format("{}: an allocation of 0 bytes", name_));
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    throw AllocationError(fmt::format("{}: alignment {} is not a power of two", name_, alignment));
  }
  const bool possible = nbytes <= size_bytes_;  // also keeps the rounding from overflowing
  const std::uint64_t wanted = possible ? rounded(nbytes) : nbytes;
  for (auto block = free_.begin(); possible && block != free_.end(); ++block) {
    const std::uint64_t start = block->first, length = block->second;
    const std::uint64_t gap = (alignment - (start & (alignment - 1))) & (alignment - 1);
    if (gap > length || length - gap < wanted) continue;
    const std::uint64_t rest = length - gap - wanted;
    if (gap > 0) {
      block->second = gap;
      if (rest > 0) free_.emplace(start + gap + wanted, rest);
    } else if (rest > 0) {
      *block = {start + wanted, rest};
    } else {
      free_.erase(block);
    }
    allocated_.emplace(start + gap, nbytes);
    used_bytes_ += wanted;
    return start + gap;
  }
  throw AllocationError(fmt::format("{}: no room for {}{}; largest free block {}, {} free in total",
                                    name_, bytes(nbytes),
                                    alignment > 1 ? fmt::format(" aligned to {}", alignment) : "",
                                    bytes(largest_free_bytes()), bytes(free_bytes())));
}

void FreeListAllocator::free(std::uint64_t address, std::uint64_t nbytes) {
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) {
    throw AllocationError(fmt::format(
        "{}: free of {}, which is not allocated (never was, or freed already)", name_, address));
  }
  if (found->second != nbytes) {
    throw AllocationError(fmt::format("{}: free of {} with {}, but {} were allocated", name_,
                                      address, bytes(nbytes), bytes(found->second)));
  }
  allocated_.erase(found);
  const std::uint64_t length = rounded(nbytes);
  used_bytes_ -= length;
  const auto next = free_.lower_bound(address);
  const auto previous = next == free_.begin() ? free_.end() : std::prev(next);
  const bool touches_next = next != free_.end() && address + length == next->first;
  if (previous != free_.end() && previous->first + previous->second == address) {
    previous->second += length + (touches_next ? next->second : 0);
    if (touches_next) free_.erase(next);
  } else if (touches_next) {
    *next = {address, length + next->second};
  } else {
    free_.emplace_hint(next, address, length);
  }
}

std::uint64_t FreeListAllocator::largest_free_bytes() const {
  std::uint64_t largest = 0;
  for (const auto& block : free_) largest = std::max(largest, block.second);
  return largest;
}

}  // namespace kernbench
