#include "sw/ops/part.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

// --- on each PE

// Column block i of `out`, `width` columns, is the block of `source` at (row + i * rows of out,
// column). At most `block_rows` rows of a part at a time.
void copy_parts(tl::Program& tl, tl::Tensor source_argument, tl::Tensor out, std::int64_t row,
                std::int64_t column, std::int64_t width, int block_rows) {
  if (!out.has_local()) return;
  const PlacedMatrix source(tl, source_argument), target(tl, out);
  const Range rows = local_rows(out), columns = local_columns(out);
  for (std::int64_t i = columns.begin / width; i * width < columns.end; ++i) {
    const Range of_block{std::max(columns.begin, i * width),
                         std::min(columns.end, (i + 1) * width)},
        from{column + of_block.begin - i * width, column + of_block.end - i * width};
    const std::int64_t first_row = row + i * target.rows();
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += block_rows) {
      const Range block{begin, std::min(rows.end, begin + block_rows)};
      const tl::Handle values =
          source.load_async({first_row + block.begin, first_row + block.end}, from);
      tl.store_async(local_block(tl, out, block, of_block), values);
    }
  }
  tl.wait();
}

void add_row_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor row_argument, int block_rows) {
  if (!x.has_local()) return;
  const PlacedMatrix row(tl, row_argument);
  const Range rows = local_rows(x), columns = local_columns(x);
  const tl::Overlap overlap(tl);
  const tl::Handle addend = row.load_async({0, 1}, columns);
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += block_rows) {
    const Range block{begin, std::min(rows.end, begin + block_rows)};
    const tl::BlockPtr place = local_block(tl, x, block, columns);
    const tl::Handle values = tl.load_async(place);
    tl.store_async(place, tl.math(MathOp::add, {values, addend}, {}, x.dtype()));
  }
  tl.wait();
}

// --- on the host

void check(const char* call, const Tensor& source, const Tensor& out) {
  for (const Tensor* tensor : {&source, &out}) {
    if (tensor->shape().rank() != 2)
      throw UsageError(fmt::format("{}: {} has rank {}, expected 2", call, text_of(*tensor),
                                   tensor->shape().rank()));
  }
  if (source.dtype() != out.dtype())
    throw UsageError(
        fmt::format("{}: {} to {}: the dtypes differ", call, text_of(source), text_of(out)));
  if (source.is_partial() || out.is_partial())
    throw UsageError(fmt::format("{}: {} to {}: partial sums have to be reduced first", call,
                                 text_of(source), text_of(out)));
}

// Rows whose blocks use at most a sixth of the scratch: several are in flight.
int block_rows_of(const Torch& torch, const Tensor& tensor, std::int64_t width) {
  const auto row_bytes = static_cast<std::uint64_t>(width) * size_of(tensor.dtype());
  return static_cast<int>(
      std::clamp<std::uint64_t>(torch.spec().scratch_bytes / 6 / row_bytes, 1, 1 << 16));
}

}  // namespace

void slice(Torch& torch, const Tensor& source, std::int64_t row, std::int64_t column,
           const Tensor& out) {
  check("slice", source, out);
  const Shape &whole = source.shape(), &part = out.shape();
  if (row < 0 || column < 0 || row + part[0] > whole[0] || column + part[1] > whole[1])
    throw UsageError(fmt::format("slice: {} at ({}, {}) is not inside {}", text_of(out), row,
                                 column, text_of(source)));
  if (part.elements() == 0) return;
  torch.launch(launch_on_holders("slice", {out}), copy_parts, source, out, row, column, part[1],
               block_rows_of(torch, out, out.info()->blocks.front().shape[1]));
}

void unstack_columns(Torch& torch, const Tensor& stacked, const Tensor& out) {
  check("unstack_columns", stacked, out);
  const Shape &from = stacked.shape(), &to = out.shape();
  if (from.elements() != to.elements() || (to[0] > 0 && from[0] % to[0] != 0))
    throw UsageError(fmt::format("unstack_columns: {} to {}: expected {{n * M, w}} to {{M, n * w}}",
                                 text_of(stacked), text_of(out)));
  if (to.elements() == 0) return;
  torch.launch(launch_on_holders("unstack_columns", {out}), copy_parts, stacked, out,
               std::int64_t{0}, std::int64_t{0}, from[1],
               block_rows_of(torch, out, out.info()->blocks.front().shape[1]));
}

void add_row_(Torch& torch, const Tensor& x, const Tensor& row) {
  if (x.shape().rank() != 2 || row.shape() != Shape{x.shape()[1]} || x.is_partial() ||
      row.is_partial())
    throw UsageError(
        fmt::format("add_row_: {} to {}: expected {{N}} to {{M, N}}, without partial "
                    "sums",
                    text_of(row), text_of(x)));
  if (x.shape().elements() == 0) return;
  torch.launch(launch_on_holders("add_row", {x}), add_row_kernel, x, row,
               block_rows_of(torch, x, x.info()->blocks.front().shape[1]));
}

}  // namespace kernbench::ops
