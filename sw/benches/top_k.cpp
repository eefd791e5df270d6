// top-k: the k largest elements of each row and their columns, rows distributed over the PEs of a
// cube.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/overlap.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE: its rows of x{rows, columns}, values{rows, k} and indices{rows, k} i32; largest
// first, of equal elements the lower column ---

// Elements of `a` precede equal elements of `b`.
tl::ValuesAndIndices merged(tl::Program& tl, const tl::ValuesAndIndices& a,
                            const tl::ValuesAndIndices& b, std::int64_t k) {
  const tl::Handle values = tl.cat({a.values, b.values}, 1),
                   indices = tl.cat({a.indices, b.indices}, 1);
  const auto best = tl.topk_with_indices(values, std::min(k, values.shape()[1]));
  return {best.values, tl.gather(indices, best.indices, 1)};
}

// Columns are processed in blocks; the next block is loaded while the current one is sorted. The k
// largest of each block are merged with those of the previous blocks.
void top_k(tl::Program& tl, tl::Tensor x, tl::Tensor values, tl::Tensor indices, int k,
           int block_rows, int block_columns) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  const auto load_async = [&](std::int64_t row, std::int64_t column) {
    const Shape block{std::min<std::int64_t>(block_rows, rows - row),
                      std::min<std::int64_t>(block_columns, columns - column)};
    return tl.load_async(
        tl.make_block_ptr(x.local(), {rows, columns}, {columns, 1}, {row, column}, block));
  };
  const auto store_async = [&](const tl::Tensor& out, std::int64_t row, const tl::Handle& best) {
    tl.store_async(tl.make_block_ptr(out.local(), {rows, k}, {k, 1}, {row, 0}, best.shape()), best);
  };
  const tl::Overlap overlap(tl);
  tl::Handle next = load_async(0, 0);
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    tl::ValuesAndIndices best;
    for (std::int64_t column = 0; column < columns; column += block_columns) {
      const tl::Handle block = next;
      if (column + block_columns < columns)
        next = load_async(row, column + block_columns);
      else if (row + block_rows < rows)
        next = load_async(row + block_rows, 0);
      auto largest = tl.topk_with_indices(block, std::min<std::int64_t>(k, block.shape()[1]));
      if (column == 0) {
        best = largest;
      } else {
        largest.indices = largest.indices + column;
        best = merged(tl, best, largest, k);
      }
    }
    store_async(values, row, best.values);
    store_async(indices, row, best.indices);
  }
  tl.wait();
}

// Variant without topk, cat and blocks of columns: whole rows, and k rounds that select the largest
// remaining element. A few rows must fit the scratch.
void top_k_by_rounds(tl::Program& tl, tl::Tensor x, tl::Tensor values, tl::Tensor indices, int k,
                     int block_rows) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const tl::Handle column_numbers = tl.arange(0, columns), ranks = tl.arange(0, k);
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    tl::Handle left = tl.load(x.local() + row * columns * size, {count, columns}, x.dtype());
    tl::Handle best = tl.zeros({count, k}, x.dtype()), places = tl.zeros({count, k}, i32);
    for (int rank = 0; rank < k; ++rank) {
      const tl::Handle largest = tl.max(left, 1), place = tl.argmax(left, 1);
      // A difference used as a condition: nonzero everywhere except at the selected place.
      best = tl.where(ranks - rank, best, largest);
      places = tl.where(ranks - rank, places, place);
      left = tl.where(column_numbers - place, left, -std::numeric_limits<double>::infinity());
    }
    tl.store(values.local() + row * k * size, best);
    tl.store(indices.local() + row * k * static_cast<std::int64_t>(size_of(i32)), places);
  }
}

// --- on the host

constexpr std::uint64_t block_bytes = 64 * 1024;  // block of x; twice in the scratch of 1 MiB, with
                                                  // indices and intermediate results

struct Largest {
  std::vector<double> values, indices;  // row after row
};

Largest largest_of(const HostArray& x, std::int64_t k) {
  const std::vector<double> values = x.values();
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.shape()[1]));
  Largest result;
  for (auto row = values.begin(); row != values.end(); row += x.shape()[1]) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [row](std::int64_t a, std::int64_t b) { return row[a] > row[b]; });
    for (auto column = order.begin(); column != order.begin() + k; ++column) {
      result.values.push_back(row[*column]);
      result.indices.push_back(static_cast<double>(*column));
    }
  }
  return result;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t rows = given.integer("rows"), columns = given.integer("columns"),
                     k = given.integer("k"), block_columns = given.integer("block");
  const DType dtype = parse_dtype(given.text("dtype"));
  if (k > columns)
    throw UsageError(
        fmt::format("top-k: the {} largest of {} columns; k is at most that", k, columns));
  const int pes = parts(torch, rows);
  // 33 different values: most values occur several times in a row.
  const Input x = random_input(torch, {rows, columns}, dtype, rows_over(pes), "x");
  const Tensor values = torch.empty({rows, k}, dtype, rows_over(pes), "values"),
               indices = torch.empty({rows, k}, i32, rows_over(pes), "indices");
  const LaunchSpec launch = launch_on_first("top_k", pes);
  const auto rows_of = [&](std::int64_t width) {
    return rows_within(rows, static_cast<std::uint64_t>(width) * size_of(f32), block_bytes);
  };
  if (given.text("form") == "blocks") {
    torch.launch(launch, top_k, x.tensor, values, indices, static_cast<int>(k),
                 rows_of(std::min(block_columns, columns)), static_cast<int>(block_columns));
  } else {
    torch.launch(launch, top_k_by_rounds, x.tensor, values, indices, static_cast<int>(k),
                 rows_of(columns));
  }
  // Elements of x unchanged: no rounding.
  torch.verify(values, [x = x.host, k] { return largest_of(*x, k).values; });
  torch.verify(indices, [x = x.host, k] { return largest_of(*x, k).indices; });
}

}  // namespace

void register_top_k(BenchRegistry& registry) {
  registry.add(
      {"top-k",
       "The k largest of each row and their columns; columns in blocks, whose largest are "
       "merged",
       {extent("rows", "rows of x", 64), extent("columns", "columns of x", 4096),
        extent("k", "number of elements of each row to find; at most the number of columns", 8),
        extent("block", "columns that are sorted at once", 1024), float_dtype("element type of x"),
        shared_by_pes("rows"),
        choice("form",
               "blocks: sorted and merged; detour: k times the largest of whole "
               "rows, a few of which must fit the scratch",
               {"blocks", "detour"})},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
