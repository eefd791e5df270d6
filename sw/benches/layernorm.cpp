// layernorm: layer normalisation along the rows of a matrix, rows over the PEs of a cube.
#include "sw/kernels/layernorm.h"

#include <cmath>

#include "sw/benches/inputs.h"
#include "sw/benches/shipped.h"

namespace kernbench::benches {
namespace {

constexpr std::uint64_t block_bytes =
    96 * 1024;  // in f32; up to six blocks at once in the scratch of 1 MiB
constexpr float epsilon = 1e-5F;

std::vector<double> normalised(const HostArray& x, const HostArray& gamma, const HostArray& beta) {
  std::vector<double> values = x.values();
  const std::vector<double> weights = gamma.values(), bias = beta.values();
  const std::size_t columns = weights.size();
  for (std::size_t row = 0; row < values.size(); row += columns) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < columns; ++i)
      mean += values[row + i] / static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i)
      variance += std::pow(values[row + i] - mean, 2) / static_cast<double>(columns);
    const double deviation = std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < columns; ++i)
      values[row + i] = (values[row + i] - mean) / deviation * weights[i] + bias[i];
  }
  return values;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t rows = given.integer("rows"), columns = given.integer("columns");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, rows);
  const Input x = random_input(torch, {rows, columns}, dtype, rows_over(pes), "x");
  const Input gamma = random_input(torch, {columns}, dtype, copy_on(pes), "gamma");
  const Input beta = random_input(torch, {columns}, dtype, copy_on(pes), "beta");
  const Tensor out = torch.empty({rows, columns}, dtype, rows_over(pes), "out");
  const int block_rows =
      rows_within(rows, static_cast<std::uint64_t>(columns) * size_of(f32), block_bytes);
  torch.launch(launch_on_first("layernorm", pes), kernels::layernorm, x.tensor, gamma.tensor,
               beta.tensor, out, epsilon, block_rows);
  // Computed in f32: a chain of eleven roundings to f32, then one to the dtype.
  torch.verify(
      out,
      [x = x.host, gamma = gamma.host, beta = beta.host] { return normalised(*x, *gamma, *beta); },
      dtype == f32 ? 11 : 1);
}

}  // namespace

Bench layernorm() {
  return {"layernorm",
          "Layer normalisation along rows, rows over the PEs of a cube; reductions and "
          "element-wise MATH in f32",
          {extent("rows", "of the matrix", 64),
           extent("columns", "of the matrix; a few rows in f32 must fit the scratch", 768),
           float_dtype("of the matrix, gamma, beta and the result"),
           shared_by_pes("PEs of the cube that share the rows; fewer if there are fewer rows")},
          &run};
}

}  // namespace kernbench::benches
