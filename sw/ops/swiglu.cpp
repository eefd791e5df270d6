#include "sw/ops/swiglu.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
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

// `bias`: of all columns of x.
void add_to_columns(tl::Program& tl, const tl::Tensor& x, const tl::Tensor& y,
                    const tl::Tensor* bias, std::int64_t column, int block_rows) {
  if (!x.has_local()) return;
  const Range rows = local_rows(x), from{0, y.shape()[1]}, to{column, column + from.size()};
  const PlacedMatrix addends(tl, y), sums(tl, x);
  struct Rows {
    Range range;
    tl::Handle x, y;
  };
  const auto load = [&](std::int64_t row) {
    const Range range{row, std::min(rows.end, row + block_rows)};
    return Rows{range, tl.load_async(sums.at(range, to)), addends.load_async(range, from)};
  };
  const tl::Overlap overlap(tl);
  Rows next = load(rows.begin);
  tl::Handle of_all_rows;
  if (bias != nullptr) of_all_rows = PlacedMatrix(tl, *bias).load_async({0, 1}, to);
  for (std::int64_t row = rows.begin; row < rows.end; row += block_rows) {
    const Rows now = next;
    if (row + block_rows < rows.end) next = load(row + block_rows);
    tl::Handle sum = now.y;
    if (bias != nullptr) sum = tl.math(MathOp::add, {now.y, of_all_rows}, {}, f32);
    tl.store_async(sums.at(now.range, to), tl.math(MathOp::add, {now.x, sum}, {}, x.dtype()));
  }
  tl.wait();
}

void add_columns_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y, std::int64_t column,
                        int block_rows) {
  add_to_columns(tl, x, y, nullptr, column, block_rows);
}
void add_biased_columns_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor bias,
                               std::int64_t column, int block_rows) {
  add_to_columns(tl, x, y, &bias, column, block_rows);
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

void add_columns_(Torch& torch, const Tensor& x, const Tensor& y, std::int64_t column,
                  const std::optional<Tensor>& bias, const LaunchSpec& launch) {
  check_whole_rows(launch.name(), x);
  refuse_partial(launch.name(), y);
  if (y.shape().rank() != 2 || y.shape()[0] != x.shape()[0] || column < 0 ||
      column + y.shape()[1] > x.shape()[1])
    throw UsageError(fmt::format("{}: '{}' {} from column {} of '{}' {} on", launch.name(),
                                 y.name(), y.shape().str(), column, x.name(), x.shape().str()));
  const auto width = static_cast<std::uint64_t>(y.shape()[1]);
  const std::int64_t rows =
      std::min<std::int64_t>(rows_in(torch.spec().scratch_bytes / 2, width * 24), 64);
  if (bias) {
    check_shape(launch.name(), *bias, {x.shape()[1]});
    torch.launch(launch, add_biased_columns_kernel, x, y, *bias, column, static_cast<int>(rows));
  } else {
    torch.launch(launch, add_columns_kernel, x, y, column, static_cast<int>(rows));
  }
}

}  // namespace kernbench::ops
