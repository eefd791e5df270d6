#include "sw/kernels/qkv.h"

#include <algorithm>
#include <vector>

namespace kernbench::kernels {
namespace {

struct Projection {
  tl::Tensor weights, out;
  std::vector<tl::EpilogueEntry> epilogue;
};

void project(tl::Program& tl, const tl::Tensor& x, const std::vector<Projection>& projections,
             std::int64_t block_rows) {
  const std::int64_t rows = x.shape()[0], depth = x.shape()[1];
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min(block_rows, rows - row);
    const auto in_bytes = row * depth * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block =
        tl.load(x + in_bytes, {count, depth}, x.dtype());  // beside the tiles of the block before
    tl.wait();
    for (const Projection& projection : projections) {
      const std::int64_t columns = projection.weights.local_shape()[1];
      const auto out_bytes =
          row * columns * static_cast<std::int64_t>(size_of(projection.out.dtype()));
      const tl::Handle weights =
          tl.ref(projection.weights.local(), {depth, columns}, projection.weights.dtype());
      tl.composite(tl::gemm(block, weights)
                       .to(projection.out.local() + out_bytes)
                       .epilogue(projection.epilogue));
    }
  }
  tl.wait();
}

std::vector<tl::EpilogueEntry> with_bias(tl::Program& tl, const tl::Tensor& bias) {
  return {tl::bias(tl.load(bias.local(), bias.local_shape(), bias.dtype()))};
}

}  // namespace

void qkv_projection(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                    tl::Tensor q, tl::Tensor k, tl::Tensor v, int block_rows) {
  project(tl, x, {{wq, q, {}}, {wk, k, {}}, {wv, v, {}}}, block_rows);
}

void qkv_projection_bias(tl::Program& tl, tl::Tensor x, tl::Tensor wq, tl::Tensor wk, tl::Tensor wv,
                         tl::Tensor bq, tl::Tensor bk, tl::Tensor bv, tl::Tensor q, tl::Tensor k,
                         tl::Tensor v, int block_rows) {
  project(tl, x,
          {{wq, q, with_bias(tl, bq)}, {wk, k, with_bias(tl, bk)}, {wv, v, with_bias(tl, bv)}},
          block_rows);
}

}  // namespace kernbench::kernels
