// newton-until: each PE iterates on its rows until a norm that it computes shows convergence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// y = 1 / sqrt(x) from y = guess: y <- y + y (1 - x y^2) / 2, until the largest |1 - x y^2| of the
// block is at most `tolerance`: the PE computes that norm, and the kernel branches on it.
// `steps`{programs, 1} i32 receives the number of steps of each program; more than `max_steps` is
// an error. Converges from 0 < guess < sqrt(3 / x). Needs a run with --data eager.
void newton_until(tl::Program& tl, tl::Tensor x, tl::Tensor y, tl::Tensor steps, float guess,
                  float tolerance, std::int32_t max_steps) {
  const tl::Handle block = tl.load(x.local(), x.local_shape(), x.dtype());
  tl::Handle root = tl.full(x.local_shape(), guess, x.dtype());
  std::int32_t step = 0;
  for (;; ++step) {
    const tl::Handle residual = 1.0 - block * root * root;
    const double largest = tl.max(tl.max(tl.abs(residual), 1), 0).item();
    if (largest <= tolerance) break;
    if (step == max_steps) {
      throw Error(fmt::format("no convergence within {} steps: the largest residual is {:f}",
                              max_steps, largest));
    }
    root = root + root * residual * 0.5;
  }
  tl.store(y.local(), root);
  tl.store(steps.local(), tl.full({1, 1}, step, i32));
}

// --- on the host

constexpr float guess = 0.25F;  // converges for all x below 48

// Values from 16 in the first row down to 1/128 in the last, exact in f32: later rows need more
// steps.
HostArray operands(Torch& torch, const Shape& shape) {
  std::vector<double> x = torch.random(shape, f32).values();
  const std::int64_t rows = shape[0], columns = shape[1];
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) / columns;
    x[i] = std::ldexp(1 + 15 * x[i] * x[i], static_cast<int>(-8 * row / rows));
  }
  return HostArray(shape, f32, x);
}

// Rounds a result in double as the PE does: double is wide enough that the second rounding has no
// effect.
float f32_of(double value) { return static_cast<float>(value); }

// Steps of one block: the same iteration, with each operation rounded to f32 once.
int steps_until(std::vector<double>::const_iterator x, std::int64_t count, double tolerance) {
  std::vector<double> y(static_cast<std::size_t>(count), guess);
  for (int step = 0;; ++step) {
    double largest = 0;
    std::vector<double> residual(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      residual[i] = f32_of(1.0 - f32_of(f32_of(x[static_cast<std::ptrdiff_t>(i)] * y[i]) * y[i]));
      largest = std::max(largest, std::fabs(residual[i]));
    }
    if (largest <= tolerance) return step;
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = f32_of(y[i] + f32_of(f32_of(y[i] * residual[i]) * 0.5));
  }
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const Shape shape{given.integer("rows"), given.integer("columns")};
  const auto tolerance = static_cast<float>(given.decimal("tolerance").to_double());
  const int pes = parts(torch, shape[0]);
  const HostArray x = operands(torch, shape);
  const Tensor x_tensor = torch.from_host(x, rows_over(pes), "x"),
               y = torch.empty(shape, f32, rows_over(pes), "y"),
               steps = torch.empty({pes, 1}, i32, rows_over(pes), "steps");
  torch.launch(launch_on_first("newton_until", pes), newton_until, x_tensor, y, steps, guess,
               tolerance, static_cast<std::int32_t>(given.integer("max_steps")));

  // |1 - x y^2| <= t bounds the relative error of y > 0 by t; additional rounding, 2.4e-7, is
  // within the tolerance of f32, 1e-5.
  const double factor = 1 + tolerance / 1e-5;
  torch.verify(
      y,
      [x] {
        std::vector<double> roots = x.values();
        for (double& value : roots) value = 1 / std::sqrt(value);
        return roots;
      },
      factor);
  torch.verify(steps, [x, tolerance, blocks = x_tensor.info()->blocks, columns = shape[1]] {
    const std::vector<double> values = x.values();
    std::vector<double> expected;
    for (const tl::Block& block : blocks) {
      expected.push_back(steps_until(values.begin() + block.start[0] * columns,
                                     block.shape.elements(), tolerance));
    }
    return expected;
  });
}

}  // namespace

void register_newton_until(BenchRegistry& registry) {
  Bench bench{
      "newton-until",
      "Newton's iteration for reciprocal square roots until a computed norm is small "
      "enough; the PEs differ in their steps",
      {extent("rows", "rows of the operands", 64), extent("columns", "columns of the operands", 64),
       shared_by_pes("rows"),
       Parameter::decimal("tolerance",
                          "bound on the largest |1 - x y^2|; below 3e-7 f32 may not converge", "",
                          "assumption")
           .default_val("0.000001")
           .positive(),
       Parameter::integer("max_steps",
                          "maximum number of steps; without convergence by then the run fails", "",
                          "assumption")
           .default_val(50)
           .range("0", "1000000")},
      &run,
      &first_cubes};
  bench.needs_data = DataMode::eager;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
