// Consecutive flits of one transaction, as links and nodes hand them on.
#pragma once

#include <cstdint>

#include "models/base/units.h"

namespace kernbench {

// Flits [first, first + count) of one leg at one position of its path; a control message has count
// 0; count above 1 only where the
// receiver takes runs (FabricForward::takes_runs).
struct FlitRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t position = 0;         // index in the path of the receiving node
  std::uint32_t virtual_channel = 0;  // at the input port, if buffers are finite (spec 2.10)
};

// Number of flits before `limit`, of `count` flits of which the i-th is at first + i * spacing.
inline std::uint32_t flits_until(Fs first, Fs spacing, std::uint32_t count, Fs limit) {
  if (limit <= first) return 0;
  if (spacing == 0) return count;
  const Fs before = (limit - first - 1) / spacing + 1;
  return before < count ? static_cast<std::uint32_t>(before) : count;
}

}  // namespace kernbench
