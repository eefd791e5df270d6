// Runs of elements that are contiguous both in a block and in the whole tensor, in the block's
// order.
#pragma once

#include <cstdint>

#include "sw/tl/ptr.h"

namespace kernbench {

// visit(first element in the whole tensor, first element in the block, number of elements); both in
// row-major order.
template <class Visit>
void for_each_run(const Shape& whole, const tl::Block& block, Visit visit) {
  const std::size_t rank = whole.rank();
  if (rank == 0) return visit(std::int64_t{0}, std::int64_t{0}, std::int64_t{1});
  if (block.shape.elements() == 0) return;
  const std::int64_t run = block.shape[rank - 1], runs = block.shape.elements() / run;
  for (std::int64_t i = 0; i < runs; ++i) {
    std::int64_t rest = i, at = block.start[rank - 1], stride = whole[rank - 1];
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      at += (block.start[axis] + rest % block.shape[axis]) * stride;
      rest /= block.shape[axis];
      stride *= whole[axis];
    }
    visit(at, i * run, run);
  }
}

}  // namespace kernbench
