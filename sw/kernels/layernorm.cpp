#include "sw/kernels/layernorm.h"

#include <algorithm>

namespace kernbench::kernels {

void layernorm(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor beta, tl::Tensor out,
               float epsilon, int block_rows) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  const auto extent = static_cast<double>(columns);
  const tl::Handle weights = tl.load(gamma, {columns}, gamma.dtype()),
                   bias = tl.load(beta, {columns}, beta.dtype());
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const auto offset = row * columns * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block = tl.cast(tl.load(x.local() + offset, {count, columns}, x.dtype()), f32);
    const tl::Handle centred = block - tl.sum(block, 1) / extent;
    const tl::Handle variance = tl.sum(centred * centred, 1) / extent;
    const tl::Handle result = tl.fma(centred * tl.rsqrt(variance + epsilon), weights, bias);
    tl.store(out.local() + offset, tl.cast(result, out.dtype()));
  }
}

}  // namespace kernbench::kernels
