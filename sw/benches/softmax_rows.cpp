// softmax-rows: softmax along the rows of a matrix, rows distributed over the PEs of a cube.
#include <algorithm>
#include <cmath>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

tl::Handle by_steps(tl::Program& tl, const tl::Handle& x) {
  const tl::Handle e = tl.exp(x - tl.max(x, 1));  // the largest becomes 1: no overflow
  return e / tl.sum(e, 1);
}

// Every PE works on its own rows of x, `block_rows` at a time. `one_op`: tl.softmax; else separate
// maximum, exponential, sum and quotient, each rounded to the dtype of x.
void softmax_rows(tl::Program& tl, tl::Tensor x, tl::Tensor out, int block_rows, bool one_op) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const auto offset = row * columns * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block = tl.load(x.local() + offset, {count, columns}, x.dtype());
    tl.store(out.local() + offset, one_op ? tl.softmax(block, 1) : by_steps(tl, block));
  }
}

// --- on the host

constexpr std::uint64_t block_bytes =
    128 * 1024;  // up to five blocks at once in the scratch of 1 MiB

std::vector<double> softmax(const HostArray& x) {
  std::vector<double> values = x.values();
  const auto columns = static_cast<std::ptrdiff_t>(x.shape()[1]);
  for (auto row = values.begin(); row != values.end(); row += columns) {
    const double largest = *std::max_element(row, row + columns);
    double sum = 0;
    for (auto at = row; at != row + columns; ++at) sum += * at = std::exp(*at - largest);
    for (auto at = row; at != row + columns; ++at) *at /= sum;
  }
  return values;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t rows = given.integer("rows"), columns = given.integer("columns");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, rows);
  const bool one_op = given.text("compute") == "op";
  const Input x = random_input(torch, {rows, columns}, dtype, rows_over(pes), "x");
  const Tensor out = torch.empty({rows, columns}, dtype, rows_over(pes), "out");
  const int block_rows =
      rows_within(rows, static_cast<std::uint64_t>(columns) * size_of(dtype), block_bytes);
  torch.launch(launch_on_first("softmax", pes), softmax_rows, x.tensor, out, block_rows, one_op);
  torch.verify(
      out, [x = x.host] { return softmax(*x); },
      one_op ? 1 : 4);  // difference, exponential, sum, quotient
}

}  // namespace

void register_softmax_rows(BenchRegistry& registry) {
  registry.add({"softmax-rows",
                "Softmax along rows, rows over the PEs of a cube; one MATH operation or its steps",
                {extent("rows", "rows of the matrix", 64),
                 extent("columns", "columns of the matrix; a few rows must fit the scratch", 512),
                 float_dtype("element type of the matrix and the result"), shared_by_pes("rows"),
                 choice("compute", "op: tl.softmax; steps: max, exp, sum and quotient one by one",
                        {"op", "steps"}, "spec 6")},
                &run,
                &first_cubes});
}

}  // namespace kernbench::benches
