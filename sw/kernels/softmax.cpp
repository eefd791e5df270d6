#include "sw/kernels/softmax.h"

#include <algorithm>

namespace kernbench::kernels {
namespace {

tl::Handle by_steps(tl::Program& tl, const tl::Handle& x) {
  const tl::Handle e = tl.exp(x - tl.max(x, 1));  // the largest becomes 1: nothing overflows
  return e / tl.sum(e, 1);
}

}  // namespace

void softmax_rows(tl::Program& tl, tl::Tensor x, tl::Tensor out, int block_rows, bool one_op) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const auto offset = row * columns * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block = tl.load(x.local() + offset, {count, columns}, x.dtype());
    tl.store(out.local() + offset, one_op ? tl.softmax(block, 1) : by_steps(tl, block));
  }
}

}  // namespace kernbench::kernels
