// Pieces of a physical range, cut where the memory changes: one transaction each (spec 2.6).
#pragma once

#include <cstdint>

#include "models/base/small_vector.h"
#include "models/protocol/machine_description.h"

namespace kernbench {

struct MemoryPiece {
  MemoryTarget place;
  std::uint64_t physical = 0;
  std::uint64_t nbytes = 0;
};

using MemoryPieces = SmallVector<MemoryPiece, 1>;

// Pieces in ascending order; they cover [physical, physical + nbytes). Throws AddressError or
// RoutingError if a byte has no memory.
MemoryPieces memory_pieces(const MachineDescription& machine, std::uint64_t physical,
                           std::uint64_t nbytes);

}  // namespace kernbench
