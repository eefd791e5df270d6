#include "sw/ops/residual.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/tl/overlap.h"
#include "sw/tl/prefetch.h"

namespace kernbench::ops {
namespace {

// `bias`: a row of all columns of x; null: none.
void add_to_rows(tl::Program& tl, const tl::Tensor& x, const tl::Tensor& y, const tl::Tensor* bias,
                 const tl::Tensor& out, const ResidualBlock& block, std::int64_t block_rows) {
  if (!out.has_local()) return;
  const Range local = local_rows(out);
  const Range rows{std::max(local.begin, block.rows.begin), std::min(local.end, block.rows.end)};
  if (rows.size() <= 0) return;
  const PlacedMatrix stream(tl, x), addends(tl, y), sums(tl, out);
  struct Rows {
    tl::Handle x, y;
  };
  const std::vector<Range> blocks = blocks_of(rows, block_rows);
  const auto load = [&](std::int64_t i) {
    const Range& range = blocks[static_cast<std::size_t>(i)];
    const Range of_y{range.begin - block.rows.begin, range.end - block.rows.begin},
        of_x{block.x_row + of_y.begin, block.x_row + of_y.end};
    return Rows{stream.load_async(of_x, block.columns),
                addends.load_async(of_y, {0, block.columns.size()})};
  };
  const tl::Overlap overlap(tl);
  tl::Prefetch loads(static_cast<std::int64_t>(blocks.size()), load);
  tl::Handle of_all_rows;
  if (bias != nullptr) of_all_rows = PlacedMatrix(tl, *bias).load_async({0, 1}, block.columns);
  for (const Range& range : blocks) {
    const Rows now = loads.next();
    tl::Handle sum = now.y;
    if (bias != nullptr) sum = tl.math(MathOp::add, {now.y, of_all_rows}, {}, f32);
    tl.store_async(sums.at(range, block.columns),
                   tl.math(MathOp::add, {now.x, sum}, {}, out.dtype()));
  }
  tl.wait();
}

void check_block(const LaunchSpec& launch, const Tensor& x, const Tensor& y, const Tensor& out,
                 const ResidualBlock& block) {
  const Range x_rows{block.x_row, block.x_row + block.rows.size()};
  const bool is_matrix = x.shape().rank() == 2 && y.shape().rank() == 2;
  if (is_matrix && x.shape()[1] == out.shape()[1] && block.rows.size() >= 0 &&
      Range{0, out.shape()[0]}.covers(block.rows) && Range{0, x.shape()[0]}.covers(x_rows) &&
      Range{0, out.shape()[1]}.covers(block.columns) && y.shape()[0] >= block.rows.size() &&
      y.shape()[1] == block.columns.size())
    return;
  throw UsageError(
      fmt::format("{}: rows {} to {}, columns {} to {} of '{}' {} from row {} of '{}' {} and '{}' "
                  "{}: x and the result have the same columns, y those of the block and at least "
                  "its rows",
                  launch.name(), block.rows.begin, block.rows.end, block.columns.begin,
                  block.columns.end, out.name(), out.shape().str(), block.x_row, x.name(),
                  x.shape().str(), y.name(), y.shape().str()));
}

}  // namespace

void add_residual(Torch& torch, const Tensor& x, const Tensor& y, const std::optional<Tensor>& bias,
                  const Tensor& out, const ResidualBlock& block, const LaunchSpec& launch) {
  check_whole_rows(launch.name(), out);
  for (const Tensor* input : {&x, &y}) refuse_partial(launch.name(), *input);
  check_block(launch, x, y, out, block);
  const auto width = static_cast<std::uint64_t>(block.columns.size());
  const std::int64_t rows =
      std::min<std::int64_t>(rows_in(torch.spec().scratch_bytes / 2, width * 24), 64);
  if (bias) {
    check_shape(launch.name(), *bias, {x.shape()[1]});
    const auto kernel = [block, rows](tl::Program& tl, tl::Tensor stream, tl::Tensor addend,
                                      tl::Tensor of_all_rows, tl::Tensor sum) {
      add_to_rows(tl, stream, addend, &of_all_rows, sum, block, rows);
    };
    torch.launch(launch, kernel, x, y, *bias, out);
  } else {
    const auto kernel = [block, rows](tl::Program& tl, tl::Tensor stream, tl::Tensor addend,
                                      tl::Tensor sum) {
      add_to_rows(tl, stream, addend, nullptr, sum, block, rows);
    };
    torch.launch(launch, kernel, x, y, out);
  }
}

}  // namespace kernbench::ops
