// malloc() and its kin, before those of the C library: the same, until the heap of the C library
// may be damaged (spare_heap.h). Not with the sanitizers, which have a heap of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "platform/assembly/spare_heap.h"

using kernbench::SpareHeap;

extern "C" {

// NOLINTBEGIN(bugprone-reserved-identifier): of the C library, where its own are
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t bytes) {
  return SpareHeap::in_use() ? SpareHeap::allocate(bytes) : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  if (!SpareHeap::in_use()) return __libc_calloc(count, bytes);
  return bytes != 0 && count > SIZE_MAX / bytes ? nullptr : SpareHeap::allocate(count * bytes);
}

void* realloc(void* block, std::size_t bytes) {
  return SpareHeap::in_use() ? SpareHeap::reallocate(block, bytes) : __libc_realloc(block, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return SpareHeap::in_use() ? SpareHeap::allocate(bytes, alignment)
                             : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  *block = memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

void free(void* block) {
  if (!SpareHeap::in_use()) __libc_free(block);
}

}  // extern "C"
#endif
