// What damages the memory of the process: endless recursion, writes beyond a block of the heap,
// blocks that are given back twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>

namespace kernbench::test {

inline int deeper(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  if (depth == 1 << 30) return 0;
  return deeper(depth + 1) + frame[0];
}

// Blocks of the heap, with `beyond` bytes written behind each of them.
inline void overrun_heap(std::size_t block, std::size_t beyond) {
  std::array<char*, 64> blocks{};
  for (char*& each : blocks) each = static_cast<char*>(std::malloc(block));
  for (char* each : blocks) {
    volatile char* bytes = each;
    for (std::size_t i = 0; i < beyond; ++i) bytes[block + i] = 0x41;
  }
  for (char* each : blocks) std::free(each);
}

inline void free_twice(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);
  std::free(block);
  std::free(block);
}

}  // namespace kernbench::test
