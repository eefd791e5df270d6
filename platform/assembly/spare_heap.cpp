#include "platform/assembly/spare_heap.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kernbench {
namespace {

std::uintptr_t begin = 0, end = 0;
std::atomic<std::uintptr_t> next{0};

std::size_t& size_of(std::uintptr_t block) { return reinterpret_cast<std::size_t*>(block)[-1]; }

// As much as the limits of the process allow; pages are taken as they are written.
void reserve() {
  for (std::size_t bytes = std::size_t{64} << 30; bytes >= std::size_t{1} << 20; bytes /= 2) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    begin = reinterpret_cast<std::uintptr_t>(memory);
    end = begin + bytes;
    next = begin;
    return;
  }
}

}  // namespace

std::atomic<bool> SpareHeap::in_use_{false};

void SpareHeap::use() {
  if (in_use()) return;
  reserve();
  in_use_ = end != 0;
}

void* SpareHeap::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t gap = std::max(alignment, alignof(std::max_align_t));
  if (bytes > end - begin || gap > end - begin) return nullptr;
  // The size stands before the block.
  const std::uintptr_t from = next.fetch_add(bytes + 2 * gap, std::memory_order_relaxed);
  const std::uintptr_t block = (from + 2 * gap - 1) / gap * gap;
  if (from > end || end - from < bytes + 2 * gap) return nullptr;
  size_of(block) = bytes;
  return reinterpret_cast<void*>(block);
}

void* SpareHeap::reallocate(void* block, std::size_t bytes) {
  void* grown = allocate(bytes);
  if (block == nullptr || grown == nullptr) return grown;
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t held = at >= begin && at < end ? size_of(at) : ::malloc_usable_size(block);
  std::memcpy(grown, block, std::min(held, bytes));
  return grown;
}

}  // namespace kernbench
