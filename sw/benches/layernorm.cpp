// layernorm: layer normalisation along the rows of a matrix, rows distributed over the PEs of a
// cube.
#include <algorithm>
#include <cmath>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// Every row: out = (x - mean) / sqrt(variance + epsilon) * gamma + beta, computed in f32 and
// rounded once. Every PE works on its own rows, `block_rows` at a time; gamma{columns} and
// beta{columns} are whole on each PE.
void layernorm(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor beta, tl::Tensor out,
               float epsilon, int block_rows) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  const auto extent = static_cast<double>(columns);
  const tl::Handle weights = tl.load(gamma, {columns}, gamma.dtype()),
                   bias = tl.load(beta, {columns}, beta.dtype());
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const auto offset = row * columns * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle block = tl.cast(tl.load(x.local() + offset, {count, columns}, x.dtype()), f32);
    const tl::Handle centred = block - tl.sum(block, 1) / extent;
    const tl::Handle variance = tl.sum(centred * centred, 1) / extent;
    const tl::Handle result = tl.fma(centred * tl.rsqrt(variance + epsilon), weights, bias);
    tl.store(out.local() + offset, tl.cast(result, out.dtype()));
  }
}

// --- on the host

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
  torch.launch(launch_on_first("layernorm", pes), layernorm, x.tensor, gamma.tensor, beta.tensor,
               out, epsilon, block_rows);
  // Computed in f32: a chain of eleven roundings to f32, then one to the dtype.
  torch.verify(
      out,
      [x = x.host, gamma = gamma.host, beta = beta.host] { return normalised(*x, *gamma, *beta); },
      dtype == f32 ? 11 : 1);
}

}  // namespace

void register_layernorm(BenchRegistry& registry) {
  registry.add(
      {"layernorm",
       "Layer normalisation along rows, rows over the PEs of a cube; reductions and "
       "element-wise MATH in f32",
       {extent("rows", "rows of the matrix", 64),
        extent("columns", "columns of the matrix; a few rows in f32 must fit the scratch", 768),
        float_dtype("element type of the matrix, gamma, beta and the result"),
        shared_by_pes("rows")},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
