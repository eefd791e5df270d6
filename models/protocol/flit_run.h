// Consecutive flits of one transaction, as links and nodes hand them on.
#pragma once

#include <cstdint>

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

}  // namespace kernbench
