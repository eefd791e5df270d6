#include "sw/ops/cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();

// --- on each PE

// The PE contributes: of several copies of a part the first one.
bool contributes(tl::Program& tl, const tl::Tensor& logits) {
  if (!logits.has_local()) return false;
  const std::vector<tl::Block>& blocks = logits.ptr().tensor()->blocks;
  const auto own = std::find_if(blocks.begin(), blocks.end(),
                                [&](const tl::Block& b) { return b.where == tl.pe_id(); });
  return std::none_of(blocks.begin(), own,
                      [&](const tl::Block& b) { return b.offset == own->offset; });
}

void initialize(tl::Program& tl, const tl::Tensor& result, double value) {
  if (result.has_local())
    tl.store(result.local(), tl.full(result.local_shape(), value, DType::f32));
}

tl::Ptr at(const tl::Tensor& result, std::int64_t row) {
  return result.ptr() + row * static_cast<std::int64_t>(size_of(DType::f32));
}

// Calls `body` for blocks of the PE's part: rows, and columns within them.
template <class Body>
void for_blocks(const tl::Tensor& logits, int block_rows, int block_columns, Body body) {
  const Range rows = local_rows(logits), columns = local_columns(logits);
  for (std::int64_t row = rows.begin; row < rows.end; row += block_rows) {
    std::vector<Range> parts;
    for (std::int64_t column = columns.begin; column < columns.end; column += block_columns)
      parts.push_back({column, std::min(columns.end, column + block_columns)});
    body(Range{row, std::min(rows.end, row + block_rows)}, parts);
  }
}

void row_max_kernel(tl::Program& tl, tl::Tensor logits, tl::Tensor largest, int block_rows,
                    int block_columns) {
  initialize(tl, largest, lowest);
  tl.barrier();
  if (!contributes(tl, logits)) return;
  const PlacedMatrix all(tl, logits);
  for_blocks(logits, block_rows, block_columns,
             [&](const Range& rows, const std::vector<Range>& parts) {
               tl::Handle most;
               for (const Range& part : parts) {
                 const tl::Handle of_part = tl.max(tl.load(all.at(rows, part)), 1);
                 most = part == parts.front() ? of_part : tl.maximum(most, of_part);
               }
               tl.atomic_max(at(largest, rows.begin),
                             tl.reshape(tl.cast(most, DType::f32), {rows.size()}));
             });
}

void row_terms_kernel(tl::Program& tl, tl::Tensor logits, tl::Tensor targets_argument,
                      tl::Tensor largest_argument, tl::Tensor sum_exp, tl::Tensor predicted,
                      std::int64_t first, std::int64_t vocabulary, int block_rows,
                      int block_columns) {
  initialize(tl, sum_exp, 0);
  initialize(tl, predicted, 0);
  const PlacedMatrix targets(tl, targets_argument), largest(tl, largest_argument), all(tl, logits);
  if (sum_exp.has_local()) {
    const Range own{sum_exp.local_start()[0], sum_exp.local_start()[0] + sum_exp.local_shape()[0]};
    const tl::Handle ids = targets.load_async({0, 1}, own);
    tl.device_assert(
        tl.logical_and(ids >= 0, ids < vocabulary),
        fmt::format("cross-entropy: targets are in the vocabulary [0, {})", vocabulary));
  }
  tl.barrier();
  if (!contributes(tl, logits)) return;
  for_blocks(logits, block_rows, block_columns,
             [&](const Range& rows, const std::vector<Range>& parts) {
               const Shape column{rows.size(), 1};
               const tl::Handle most = tl.reshape(largest.load_async({0, 1}, rows), column),
                                target = tl.reshape(targets.load_async({0, 1}, rows), column);
               tl::Handle sum = tl.zeros(column, DType::f32), picked = tl.zeros(column, DType::f32);
               for (const Range& part : parts) {
                 const tl::Handle x =
                     tl.math(MathOp::sub, {tl.load(all.at(rows, part)), most}, {}, DType::f32);
                 const tl::Handle ids =
                     tl.reshape(tl.arange(first + part.begin, first + part.end), {1, part.size()});
                 picked = picked + tl.sum(tl.where(ids == target, x, 0.0), 1);
                 sum = sum + tl.sum(tl.exp(x), 1);
               }
               tl.atomic_add(at(predicted, rows.begin), tl.reshape(picked, {rows.size()}));
               tl.atomic_add(at(sum_exp, rows.begin), tl.reshape(sum, {rows.size()}));
             });
}

void loss_kernel(tl::Program& tl, tl::Tensor sum_exp, tl::Tensor predicted, tl::Tensor loss) {
  if (!loss.has_local()) return;
  const auto load = [&](const tl::Tensor& x) { return tl.load(x.local(), x.local_shape(), f32); };
  tl.store(loss.local(), tl.log(load(sum_exp)) - load(predicted));
}

// --- on the host

void check_logits(const char* call, const Tensor& logits) {
  if (logits.shape().rank() != 2 || !is_float(logits.dtype()) || logits.is_partial())
    throw UsageError(fmt::format("{}: logits {}: expected floats {{T, V}} without partial sums",
                                 call, text_of(logits)));
}

// Values of the rows, of which no PE but the owner has a copy.
void check_rows(const char* call, const Tensor& rows, std::int64_t count, DType dtype) {
  if (rows.shape() != Shape{count} || rows.dtype() != dtype)
    throw UsageError(
        fmt::format("{}: {}: expected {} {{{}}}", call, text_of(rows), name_of(dtype), count));
}
void check_result(const char* call, const Tensor& result, std::int64_t count) {
  check_rows(call, result, count, DType::f32);
  const auto& blocks = result.info()->blocks;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].offset == blocks[i - 1].offset)
      throw UsageError(
          fmt::format("{}: {} has copies or partial sums: expected a placement that "
                      "all PEs address, such as {{row_wise, row_wise, 1, 1}}",
                      call, text_of(result)));
  }
}

struct Block {
  int rows, columns;
};

// About six blocks of f32 in the scratch.
Block block_of(const Torch& torch, const Tensor& logits) {
  const std::int64_t room =
      static_cast<std::int64_t>(torch.spec().scratch_bytes / 8 / size_of(DType::f32));
  const Shape& part = logits.info()->blocks.front().shape;
  const std::int64_t columns = std::min(part[1], room);
  return {static_cast<int>(std::clamp<std::int64_t>(room / columns, 1, part[0])),
          static_cast<int>(columns)};
}

}  // namespace

void row_max(Torch& torch, const Tensor& logits, const Tensor& largest) {
  check_logits("row_max", logits);
  if (logits.shape().elements() == 0) return;
  check_result("row_max", largest, logits.shape()[0]);
  const Block block = block_of(torch, logits);
  torch.launch(launch_on_holders("row_max", {logits, largest}), row_max_kernel, logits, largest,
               block.rows, block.columns);
}

void row_terms(Torch& torch, const Tensor& logits, const Tensor& targets, const Tensor& largest,
               std::int64_t first, std::int64_t vocabulary, const RowTerms& terms) {
  check_logits("row_terms", logits);
  if (logits.shape().elements() == 0) return;
  const std::int64_t rows = logits.shape()[0];
  check_rows("row_terms", targets, rows, i32);
  check_rows("row_terms", largest, rows, DType::f32);
  check_result("row_terms", terms.sum_exp, rows);
  check_result("row_terms", terms.predicted, rows);
  const Block block = block_of(torch, logits);
  torch.launch(launch_on_holders("row_terms", {logits, terms.sum_exp, terms.predicted}),
               row_terms_kernel, logits, targets, largest, terms.sum_exp, terms.predicted, first,
               vocabulary, block.rows, block.columns);
}

void loss_of(Torch& torch, const RowTerms& terms, const Tensor& loss) {
  const std::int64_t rows = loss.shape()[0];
  check_rows("loss_of", terms.sum_exp, rows, DType::f32);
  check_rows("loss_of", terms.predicted, rows, DType::f32);
  check_result("loss_of", loss, rows);
  if (rows == 0) return;
  torch.launch(launch_on_holders("cross_entropy_loss", {loss}), loss_kernel, terms.sum_exp,
               terms.predicted, loss);
}

}  // namespace kernbench::ops
