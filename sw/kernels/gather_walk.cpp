#include "sw/kernels/gather_walk.h"

namespace kernbench::kernels {

void gather_walk(tl::Program& tl, tl::Tensor next, tl::Tensor table, tl::Tensor out,
                 tl::Tensor total, std::int64_t start) {
  const std::int64_t width = table.shape()[1];
  const std::int64_t row_bytes = width * static_cast<std::int64_t>(size_of(table.dtype()));
  tl::Handle sum = tl.zeros({1, width}, total.dtype());
  std::int64_t node = start;
  for (std::int64_t step = 0; node >= 0; ++step) {
    const tl::Handle row = tl.load(table + node * row_bytes, {1, width}, table.dtype());
    tl.store(out + step * row_bytes, row);
    sum = sum + row;
    const tl::Handle link =
        tl.load(next + node * static_cast<std::int64_t>(size_of(i32)), {1}, i32);
    node = static_cast<std::int64_t>(link.item());
  }
  tl.store(total, sum);
}

}  // namespace kernbench::kernels
