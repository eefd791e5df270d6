// layernorm-backward: gradients of a layer normalisation (Triton's tutorial 05). PEs that share
// rows add up the gradients of gamma and beta in groups, under a lock or by atomics; a second
// launch adds up the groups.
#include <algorithm>
#include <cmath>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

constexpr float epsilon = 1e-5F;

// --- on each PE

// Critical section of one PE at a time: the two atomics order its loads and stores with those of
// other holders.
void add_under_lock(tl::Program& tl, const tl::Ptr& lock, const tl::Ptr& sum,
                    const tl::Handle& part) {
  while (tl.atomic_cas(lock, 0, 1).item() != 0) {
  }
  tl.store(sum, tl.load(sum, part.shape(), f32) + part);
  tl.atomic_xchg(lock, 0);
}

// dx of the PE's rows, and its contribution to groups{groups, 2, columns}: gradients of gamma and
// beta. With h = (x - mean) / sqrt(variance + epsilon) and g = dy * gamma: dx = (g - h * mean(g *
// h) - mean(g)) / sqrt(variance + epsilon).
void layernorm_backward(tl::Program& tl, tl::Tensor x, tl::Tensor dy, tl::Tensor gamma,
                        tl::Tensor dx, tl::Tensor groups, tl::Tensor locks, int block_rows,
                        bool atomics) {
  const std::int64_t rows = x.local_shape()[0], columns = x.local_shape()[1];
  const auto extent = static_cast<double>(columns);
  const tl::Handle weights = tl.load(gamma, {columns}, gamma.dtype());
  tl::Handle d_gamma = tl.zeros({1, columns}, f32), d_beta = d_gamma;
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const Shape block{std::min<std::int64_t>(block_rows, rows - row), columns};
    const auto at = row * columns * static_cast<std::int64_t>(size_of(x.dtype()));
    const tl::Handle values = tl.cast(tl.load(x.local() + at, block, x.dtype()), f32);
    const tl::Handle gradient = tl.cast(tl.load(dy.local() + at, block, dy.dtype()), f32);
    const tl::Handle centred = values - tl.sum(values, 1) / extent;
    const tl::Handle rstd = tl.rsqrt(tl.sum(centred * centred, 1) / extent + epsilon);
    const tl::Handle h = centred * rstd, g = gradient * weights;
    const tl::Handle along = tl.sum(g * h, 1) / extent, mean = tl.sum(g, 1) / extent;
    tl.store(dx.local() + at, tl.cast((g - h * along - mean) * rstd, dx.dtype()));
    d_gamma = d_gamma + tl.sum(gradient * h, 0);
    d_beta = d_beta + tl.sum(gradient, 0);
  }
  const std::int64_t group = tl.program_id(0) % locks.shape()[0];
  const tl::Handle part = tl.cat({d_gamma, d_beta});
  const tl::Ptr sum = groups + group * static_cast<std::int64_t>(part.nbytes());
  if (atomics)
    tl.atomic_add(sum, part);
  else
    add_under_lock(tl, locks + group * 4, sum, part);
}

// Each PE sums its own columns.
void sum_of_groups(tl::Program& tl, tl::Tensor groups, tl::Tensor d_gamma, tl::Tensor d_beta) {
  const std::int64_t count = groups.shape()[0], columns = groups.shape()[2];
  const std::int64_t first = d_gamma.local_start()[0], own = d_gamma.local_shape()[0];
  const tl::Handle sums =
      tl.sum(tl.load(tl.make_block_ptr(groups, {count, 2, columns}, {2 * columns, columns, 1},
                                       {0, 0, first}, {count, 2, own})),
             0, false);
  tl.store(d_gamma.local(), tl.slice(sums, 0, 1));
  tl.store(d_beta.local(), tl.slice(sums, 1, 2));
}

// --- on the host

constexpr std::uint64_t block_bytes = 64 * 1024;  // in f32; about ten blocks at once

struct Gradients {
  std::vector<double> dx, d_gamma, d_beta;
};

Gradients gradients(const HostArray& x, const HostArray& dy, const HostArray& gamma) {
  const std::vector<double> values = x.values(), given = dy.values(), weights = gamma.values();
  const std::size_t columns = weights.size();
  const auto extent = static_cast<double>(columns);
  Gradients made{{}, std::vector<double>(columns), std::vector<double>(columns)};
  for (std::size_t row = 0; row < values.size(); row += columns) {
    double mean = 0, variance = 0, along = 0, level = 0;
    for (std::size_t i = 0; i < columns; ++i) mean += values[row + i] / extent;
    for (std::size_t i = 0; i < columns; ++i)
      variance += std::pow(values[row + i] - mean, 2) / extent;
    const double rstd = 1 / std::sqrt(variance + epsilon);
    const auto h = [&](std::size_t i) { return (values[row + i] - mean) * rstd; };
    for (std::size_t i = 0; i < columns; ++i) {
      along += given[row + i] * weights[i] * h(i) / extent;
      level += given[row + i] * weights[i] / extent;
      made.d_gamma[i] += given[row + i] * h(i);
      made.d_beta[i] += given[row + i];
    }
    for (std::size_t i = 0; i < columns; ++i)
      made.dx.push_back((given[row + i] * weights[i] - h(i) * along - level) * rstd);
  }
  return made;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t rows = given.integer("rows"), columns = given.integer("columns");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, rows);
  const int summing = static_cast<int>(std::min<std::int64_t>(pes, columns));
  const std::int64_t count = std::min<std::int64_t>(given.integer("groups"), pes);
  const DPPolicy one_piece{Placement::row_wise, Placement::row_wise, 1, 1};  // for all PEs
  const Input x = random_input(torch, {rows, columns}, dtype, rows_over(pes), "x");
  const Input dy = random_input(torch, {rows, columns}, dtype, rows_over(pes), "dy");
  const Input gamma = random_input(torch, {columns}, dtype, copy_on(pes), "gamma");
  const Tensor dx = torch.empty({rows, columns}, dtype, rows_over(pes), "dx"),
               groups = torch.zeros({count, 2, columns}, f32, one_piece, "groups"),
               locks = torch.zeros({count}, i32, one_piece, "locks"),
               d_gamma = torch.empty({columns}, f32, rows_over(summing), "d_gamma"),
               d_beta = torch.empty({columns}, f32, rows_over(summing), "d_beta");
  const int block_rows =
      rows_within(rows, static_cast<std::uint64_t>(columns) * size_of(f32), block_bytes);
  torch.launch(launch_on_first("layernorm_backward", pes), layernorm_backward, x.tensor, dy.tensor,
               gamma.tensor, dx, groups, locks, block_rows, given.text("sums") == "atomics");
  torch.launch(launch_on_first("sum_of_groups", summing), sum_of_groups, groups, d_gamma, d_beta);
  const auto part = [x = x.host, dy = dy.host,
                     gamma = gamma.host](std::vector<double> Gradients::*which) {
    return [=] { return gradients(*x, *dy, *gamma).*which; };
  };
  // Computed in f32, with one rounding of dx to the dtype; sums are chains over the rows.
  const auto chain = static_cast<double>(rows) + 16;
  torch.verify(dx, part(&Gradients::dx), dtype == f32 ? 40 : 2);
  torch.verify(d_gamma, part(&Gradients::d_gamma), chain);
  torch.verify(d_beta, part(&Gradients::d_beta), chain);
}

}  // namespace

void register_layernorm_backward(BenchRegistry& registry) {
  Bench bench{
      "layernorm-backward",
      "Gradients of a layer normalisation, rows over the PEs of a cube; those of gamma and "
      "beta are added up in memory, under locks or by atomics",
      {extent("rows", "rows of the matrix", 64),
       extent("columns", "columns of the matrix; a few rows in f32 must fit the scratch", 768),
       extent("groups", "number of sums in memory, each shared by several PEs; at most one per PE",
              4),
       choice("sums",
              "locks: a load, an addition and a store under a lock; atomics: "
              "the memory adds",
              {"locks", "atomics"}, "assumption"),
       float_dtype("element type of x, dy, gamma and dx; sums are f32"), shared_by_pes("rows")},
      &run,
      &cubes_of_devices};
  bench.needs_data = DataMode::deferred;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
