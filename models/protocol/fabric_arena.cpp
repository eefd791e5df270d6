#include "models/protocol/fabric_arena.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace kernbench {

#ifdef __SANITIZE_ADDRESS__  // it examines separate blocks only

void* InFabricArena::operator new(std::size_t bytes) { return ::operator new(bytes); }
void InFabricArena::operator delete(void* object) noexcept { ::operator delete(object); }

#else

namespace {

constexpr std::size_t cache_line = 64, huge_page = std::size_t{2} << 20U;

struct Chunk {
  char* begin;
  std::size_t bytes;
};

struct {
  std::vector<Chunk> chunks;
  std::size_t chunk = 0, used = 0;  // the one that is filled
  std::size_t objects = 0;
} arena;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

void add_chunk(std::size_t least) {
  const std::size_t bytes = rounded(least, huge_page);
  void* const begin = std::aligned_alloc(huge_page, bytes);
  if (begin == nullptr) throw std::bad_alloc();
  ::madvise(begin, bytes, MADV_HUGEPAGE);  // without effect where there are none
  arena.chunks.push_back({static_cast<char*>(begin), bytes});
}

}  // namespace

void* InFabricArena::operator new(std::size_t bytes) {
  bytes = rounded(bytes, cache_line);
  while (arena.chunk < arena.chunks.size() &&
         arena.used + bytes > arena.chunks[arena.chunk].bytes) {
    ++arena.chunk;
    arena.used = 0;
  }
  if (arena.chunk == arena.chunks.size()) add_chunk(bytes);
  char* const object = arena.chunks[arena.chunk].begin + arena.used;
  arena.used += bytes;
  ++arena.objects;
  return object;
}

void InFabricArena::operator delete(void* object) noexcept {
  if (object == nullptr || --arena.objects > 0) return;
  arena.chunk = arena.used = 0;
}

#endif

}  // namespace kernbench
