#include "sw/ops/norm.h"

#include <algorithm>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/overlap.h"
#include "sw/tl/prefetch.h"

namespace kernbench::ops {
namespace {

tl::Handle vector_in_f32(tl::Program& tl, const tl::Tensor& vector) {
  return tl.cast(PlacedMatrix(tl, vector).load_async({0, 1}, {0, vector.shape()[0]}), f32);
}

// The next rows are loaded, and the previous ones stored, concurrently. With `beta`: layer norm.
void normalise(tl::Program& tl, const tl::Tensor& x, const tl::Tensor& gamma,
               const tl::Tensor* beta, const tl::Tensor& out, float epsilon, int block_rows) {
  if (!out.has_local()) return;
  const Range rows = local_rows(out), columns{0, out.shape()[1]};
  const auto width = static_cast<double>(columns.size());
  const PlacedMatrix from(tl, x), to(tl, out);
  const std::vector<Range> blocks = blocks_of(rows, block_rows);
  const tl::Overlap overlap(tl);
  tl::Prefetch loads(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t i) {
    return from.load_async(blocks[static_cast<std::size_t>(i)], columns);
  });
  const tl::Handle weights = vector_in_f32(tl, gamma);
  const tl::Handle addend = beta != nullptr ? vector_in_f32(tl, *beta) : tl::Handle();
  for (const Range& of_block : blocks) {
    tl::Handle block = loads.next();
    if (beta != nullptr)
      block = tl.sub(block, tl.math(MathOp::sum, {block}, 1, f32) / width);  // f32
    const tl::Handle squares = tl.math(MathOp::mul, {block, block}, {}, f32);
    const tl::Handle inverse = tl.rsqrt(tl.sum(squares, 1) / width + epsilon);
    const tl::Handle result =
        beta != nullptr ? tl.math(MathOp::fma, {block * inverse, weights, addend}, {}, out.dtype())
                        : tl.math(MathOp::mul, {block * weights, inverse}, {}, out.dtype());
    tl.store_async(to.at(of_block, columns), result);
  }
  tl.wait();
}

void rms_norm_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor out, float epsilon,
                     int block_rows) {
  normalise(tl, x, gamma, nullptr, out, epsilon, block_rows);
}

void layer_norm_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor beta,
                       tl::Tensor out, float epsilon, int block_rows) {
  normalise(tl, x, gamma, &beta, out, epsilon, block_rows);
}

// Rows of a block: two blocks of x and four of f32 in flight; the vectors in their dtype and in
// f32.
int norm_rows(const Torch& torch, const Tensor& x) {
  const auto width = static_cast<std::uint64_t>(x.shape()[1]);
  const std::uint64_t vectors = width * 2 * (size_of(x.dtype()) + size_of(f32)),
                      row = width * (2 * size_of(x.dtype()) + 4 * size_of(f32)),
                      room = torch.spec().scratch_bytes * 3 / 4;
  return static_cast<int>(std::min<std::int64_t>(rows_in(room - std::min(room, vectors), row), 64));
}

void check_norm(const LaunchSpec& launch, const Tensor& x, const Tensor& gamma, const Tensor& out) {
  check_whole_rows(launch.name(), out);
  check_shape(launch.name(), x, out.shape());
  check_shape(launch.name(), gamma, {out.shape()[1]});
  if (x.is_partial()) check_whole_rows(launch.name(), x);
}

}  // namespace

void rms_norm(Torch& torch, const Tensor& x, const Tensor& gamma, const Tensor& out, double epsilon,
              const LaunchSpec& launch) {
  check_norm(launch, x, gamma, out);
  torch.launch(launch, rms_norm_kernel, x, gamma, out, static_cast<float>(epsilon),
               norm_rows(torch, x));
}

void layer_norm(Torch& torch, const Tensor& x, const Tensor& gamma, const Tensor& beta,
                const Tensor& out, double epsilon, const LaunchSpec& launch) {
  check_norm(launch, x, gamma, out);
  check_shape(launch.name(), beta, gamma.shape());
  torch.launch(launch, layer_norm_kernel, x, gamma, beta, out, static_cast<float>(epsilon),
               norm_rows(torch, x));
}

}  // namespace kernbench::ops
