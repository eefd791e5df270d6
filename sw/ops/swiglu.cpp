#include "sw/ops/swiglu.h"

#include <algorithm>

#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

void swiglu_kernel(tl::Program& tl, tl::Tensor gate, tl::Tensor up, tl::Tensor out,
                   int block_elements) {
  if (!out.has_local()) return;
  const Range rows = local_rows(out), columns = local_columns(out);
  const PlacedMatrix gates(tl, gate), ups(tl, up), results(tl, out);
  const std::int64_t width = std::min<std::int64_t>(columns.size(), block_elements),
                     count = std::max<std::int64_t>(1, block_elements / width);
  struct Blocks {
    Range rows, columns;
    tl::Handle gate, up;
  };
  std::vector<Blocks> blocks;
  for (std::int64_t row = rows.begin; row < rows.end; row += count) {
    for (std::int64_t column = columns.begin; column < columns.end; column += width)
      blocks.push_back({{row, std::min(rows.end, row + count)},
                        {column, std::min(columns.end, column + width)},
                        {},
                        {}});
  }
  const auto load = [&](Blocks& block) {
    block.gate = gates.load_async(block.rows, block.columns);
    block.up = ups.load_async(block.rows, block.columns);
  };
  const tl::Overlap overlap(tl);
  load(blocks.front());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Blocks now = std::move(blocks[i]);
    if (i + 1 < blocks.size()) load(blocks[i + 1]);
    const tl::Handle activated = tl.math(MathOp::silu, {now.gate}, {}, f32);
    tl.store_async(results.at(now.rows, now.columns),
                   tl.math(MathOp::mul, {activated, now.up}, {}, out.dtype()));
  }
  tl.wait();
}

}  // namespace

void swiglu(Torch& torch, const Tensor& gate, const Tensor& up, const Tensor& out,
            const LaunchSpec& launch) {
  for (const Tensor* input : {&gate, &up}) check_shape(launch.name(), *input, out.shape());
  for (const Tensor* tensor : {&gate, &up, &out}) refuse_partial(launch.name(), *tensor);
  // two blocks of gate and up, the activated one and the result
  const std::uint64_t elements = torch.spec().scratch_bytes / 2 / 24;
  torch.launch(launch, swiglu_kernel, gate, up, out, static_cast<int>(elements));
}

}  // namespace kernbench::ops
