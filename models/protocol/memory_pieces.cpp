#include "models/protocol/memory_pieces.h"

#include "models/base/errors.h"

namespace kernbench {
namespace {

// Whether the byte `distance` bytes after the place is in the same memory. Returns false if the
// place has no memory.
bool continues(const MachineDescription& machine, const MemoryTarget& place, std::uint64_t physical,
               std::uint64_t distance) {
  try {
    const MemoryTarget there = machine.place_of(physical + distance);
    return there.node == place.node && there.offset == place.offset + distance;
  } catch (const AddressError&) {
    return false;
  } catch (const RoutingError&) {
    return false;
  }
}

}  // namespace

MemoryPieces memory_pieces(const MachineDescription& machine, std::uint64_t physical,
                           std::uint64_t nbytes) {
  MemoryPieces pieces;
  while (nbytes > 0) {
    const MemoryTarget place = machine.place_of(physical);
    std::uint64_t length = nbytes;
    if (!continues(machine, place, physical, length - 1)) {
      std::uint64_t inside = 1;  // length is outside
      while (length - inside > 1) {
        const std::uint64_t middle = inside + (length - inside) / 2;
        (continues(machine, place, physical, middle - 1) ? inside : length) = middle;
      }
      length = inside;
    }
    pieces.push_back({place, physical, length});
    physical += length;
    nbytes -= length;
  }
  return pieces;
}

}  // namespace kernbench
