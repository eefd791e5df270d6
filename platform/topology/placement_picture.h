// Picture of a tensor cut by a DPPolicy: its elements, and the PEs that own them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/dtype.h"
#include "models/protocol/host_messages.h"

namespace kernbench {

// Shard: a block of the whole tensor, and the PE that owns it.
struct PlacedBlock {
  PeId where;
  std::uint64_t offset = 0;  // bytes from the tensor's base: copies of a shard share it
  Shape shape;
  std::vector<std::int64_t> start;  // in the whole tensor, per axis
};

// SVG picture. The last two axes are rows and columns; each index of the axes before them has a
// rectangle of its own. `title`: the policy.
std::string placement_svg(const Shape& shape, const std::vector<PlacedBlock>& blocks,
                          const std::string& title);

}  // namespace kernbench
