#include "sw/kernels/mlp.h"

#include <algorithm>

namespace kernbench::kernels {

void mlp_fused(tl::Program& tl, tl::Tensor x, tl::Tensor w1, tl::Tensor b1, tl::Tensor w2,
               tl::Tensor out, int block_rows) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1],
                     columns_out = out.local_shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const tl::Handle bias = tl.load(b1, b1.shape(), b1.dtype());
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const tl::Handle block = tl.load(x.local() + row * columns * size, {count, columns}, x.dtype());
    const auto hidden = tl.composite(
        tl::gemm(block, tl.ref(w1, w1.shape(), w1.dtype())).epilogue({tl::bias(bias), tl::gelu()}));
    // Using the hidden layer waits for it.
    tl.wait(tl.composite(tl::gemm(hidden.result(), tl.ref(w2, w2.shape(), w2.dtype()))
                             .to(out.local() + row * columns_out * size)));
  }
}

}  // namespace kernbench::kernels
