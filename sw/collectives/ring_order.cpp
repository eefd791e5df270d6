#include "sw/collectives/ring_order.h"

#include <numeric>

namespace kernbench {
namespace {

// Along row 0, then through rows 1 to h - 1 from the last column to the first, down and up. An even
// number of columns ends below the start; of an odd number the first column goes down, so that only
// a torus closes.
std::vector<int> round_trip(int w, int h) {
  std::vector<int> order;
  for (int x = 0; x < w; ++x) order.push_back(x);
  bool down = true;
  for (int x = w - 1; x >= 0; --x, down = !down) {
    for (int step = 1; step < h; ++step) order.push_back((down ? step : h - step) * w + x);
  }
  return order;
}

// A grid of w x h, numbered along rows, seen with rows and columns exchanged.
std::vector<int> transposed(std::vector<int> order, int w, int h) {
  for (int& sip : order) sip = sip % h * w + sip / h;
  return order;
}

}  // namespace

std::optional<std::vector<int>> ring_order(const graphs::SipGrid& grid) {
  std::vector<int> line(static_cast<std::size_t>(grid.sips));
  std::iota(line.begin(), line.end(), 0);
  if (grid.topology == "ring_1d") return line;
  const bool wraps = grid.topology == "torus_2d";
  if (grid.w == 1 || grid.h == 1)
    return wraps || grid.sips <= 2 ? std::optional(line) : std::nullopt;
  if (grid.w % 2 == 0) return round_trip(grid.w, grid.h);
  if (grid.h % 2 == 0) return transposed(round_trip(grid.h, grid.w), grid.w, grid.h);
  return wraps ? std::optional(round_trip(grid.w, grid.h)) : std::nullopt;
}

}  // namespace kernbench
