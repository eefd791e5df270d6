#include <cstddef>
#include <cstdlib>
#include <new>

#include "tests/perf/child_measurement.h"

namespace {

std::uint64_t allocations = 0;  // one thread allocates

void* allocate(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

std::uint64_t kernbench::perf::heap_allocations() { return allocations; }

// The other forms without alignment are defined by these.
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
