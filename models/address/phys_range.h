// Raw physical bytes. A transfer over several shards is a list of these, in the order of its bytes.
#pragma once

#include <cstdint>

#include "models/base/small_vector.h"

namespace kernbench {

struct PhysRange {
  std::uint64_t pa = 0;
  std::uint64_t nbytes = 0;
};
using PhysRanges = SmallVector<PhysRange, 1>;

inline std::uint64_t total_bytes(const PhysRanges& ranges) {
  std::uint64_t total = 0;
  for (const PhysRange& range : ranges) total += range.nbytes;
  return total;
}

}  // namespace kernbench
