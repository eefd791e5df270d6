// Heap in the place of the C library's, once that may be damaged or locked: memory of the kernel
// that is given out and never taken back.
//
// With it a run that has failed by a fault inside malloc() or free() writes its files. A program
// sends malloc() and its kin here (heap_calls.cpp); without that use() has no effect.
#pragma once

#include <atomic>
#include <cstddef>

namespace kernbench {

class SpareHeap {
 public:
  // From now on; may be called in a signal handler.
  static void use();
  static bool in_use() { return in_use_.load(std::memory_order_relaxed); }

  // Null: none is left. Zeroed.
  static void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  // Of a block of either heap.
  static void* reallocate(void* block, std::size_t bytes);

 private:
  static std::atomic<bool> in_use_;
};

}  // namespace kernbench
