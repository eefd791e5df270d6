// softmax-rows: softmax along the rows of a matrix, rows over the PEs of a cube.
#include <algorithm>
#include <cmath>

#include "sw/benches/inputs.h"
#include "sw/benches/shipped.h"
#include "sw/kernels/softmax.h"

namespace kernbench::benches {
namespace {

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
  torch.launch(launch_on_first("softmax", pes), kernels::softmax_rows, x.tensor, out, block_rows,
               one_op);
  torch.verify(
      out, [x = x.host] { return softmax(*x); },
      one_op ? 1 : 4);  // difference, exponential, sum, quotient
}

}  // namespace

Bench softmax_rows() {
  return {
      "softmax-rows",
      "Softmax along rows, rows over the PEs of a cube; one MATH operation or its steps",
      {extent("rows", "of the matrix", 64),
       extent("columns", "of the matrix; a few rows must fit the scratch", 512),
       float_dtype("of the matrix and the result"),
       shared_by_pes("PEs of the cube that share the rows; fewer if there are fewer rows"),
       Parameter::choice("compute", "op: tl.softmax; steps: max, exp, sum and quotient one by one",
                         {"op", "steps"}, "spec 6")
           .default_val("op")},
      &run};
}

}  // namespace kernbench::benches
