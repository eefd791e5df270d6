#include "sw/ops/embedding.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/program.h"

namespace kernbench::ops {
namespace {

// --- on each PE

void check_ids(const tl::Tensor& ids, const std::vector<std::int64_t>& values, std::int64_t first,
               std::int64_t vocabulary) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= vocabulary)
      throw UsageError(fmt::format("embedding: '{}'[{}] is {}, outside of the vocabulary [0, {})",
                                   ids.name(), first + static_cast<std::int64_t>(i), values[i],
                                   vocabulary));
  }
}

// Columns of `table` that no shard cuts. A row is in one of its parts; the others yield zeros.
tl::Handle gather_rows(tl::Program& tl, const PlacedMatrix& table, const tl::Handle& ids,
                       const Range& columns) {
  tl::Handle sum;
  const Range all{0, table.rows()};
  for (const Range& rows : table.row_parts(all, columns)) {
    const tl::BlockPtr part = table.at(rows, columns);
    const tl::TensorDescriptor row_of =
        tl.make_tensor_descriptor(part.base(), part.shape(), part.strides(), {1, columns.size()});
    const tl::Handle found = row_of.gather(rows.begin == 0 ? ids : ids - rows.begin);
    sum = rows.begin == 0 ? found : tl.math(MathOp::add, {sum, found}, {}, table.dtype());
  }
  return sum;
}

void embedding_kernel(tl::Program& tl, tl::Tensor table_argument, tl::Tensor ids_argument,
                      tl::Tensor out, std::int64_t first_id, std::int64_t vocabulary,
                      int block_rows) {
  if (!out.has_local()) return;
  const PlacedMatrix table(tl, table_argument), ids(tl, ids_argument), result(tl, out);
  const Range rows = local_rows(out), columns = local_columns(out);
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += block_rows) {
    const Range block{begin, std::min(rows.end, begin + block_rows)};
    const tl::Handle chosen = tl.reshape(ids.load_async({0, 1}, block), {block.size()});
    check_ids(ids_argument, chosen.index_values(), block.begin, vocabulary);
    const tl::Handle in_table = first_id == 0 ? chosen : chosen - first_id;
    for (const Range& each : table.column_parts({0, table.rows()}, columns))
      tl.store_async(result.at(block, each), gather_rows(tl, table, in_table, each));
  }
  tl.wait();
}

}  // namespace

// --- on the host

void embedding(Torch& torch, const Tensor& table, const Tensor& ids, const Tensor& out,
               std::int64_t first_id, std::int64_t vocabulary) {
  if (table.shape().rank() != 2 || ids.shape().rank() != 1 || ids.dtype() != i32 ||
      out.dtype() != table.dtype() || out.shape() != Shape{ids.shape()[0], table.shape()[1]})
    throw UsageError(
        fmt::format("embedding: rows {} of {} to {}: expected i32 {{T}} of {{rows, H}} to {{T, H}} "
                    "of one dtype",
                    text_of(ids), text_of(table), text_of(out)));
  if (table.is_partial() || ids.is_partial() || out.is_partial())
    throw UsageError("embedding: partial sums have to be reduced first");
  if (!torch.with_data())
    throw UsageError(
        fmt::format("embedding: the rows that it reads depend on the values of {}: "
                    "run with data (--data deferred or eager)",
                    text_of(ids)));
  if (out.shape().elements() == 0) return;
  // A sixth of the scratch: two parts of a sum and two blocks that are being stored.
  const std::uint64_t row_bytes =
      static_cast<std::uint64_t>(out.info()->blocks.front().shape[1]) * size_of(out.dtype());
  const auto block_rows = static_cast<int>(rows_in(torch.spec().scratch_bytes / 6, row_bytes));
  torch.launch(launch_on_holders("embedding", {out}), embedding_kernel, table, ids, out, first_id,
               vocabulary, block_rows);
}

}  // namespace kernbench::ops
