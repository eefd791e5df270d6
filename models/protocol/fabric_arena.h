// Memory of the objects that every flit touches, nodes and links: next to each other in the order
// of their creation, on huge pages where the system has them. On a machine that exceeds the caches
// a hop costs as much time as the cache lines and pages that it touches.
#pragma once

#include <cstddef>

namespace kernbench {

// Base of a class whose objects are created in the arena. One thread creates and deletes them. The
// memory is reused when none is left.
class InFabricArena {
 public:
  static void* operator new(std::size_t bytes);
  static void operator delete(void* object) noexcept;

 protected:
  ~InFabricArena() = default;
};

}  // namespace kernbench
