#include "sw/ops/rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/errors.h"
#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/tl/overlap.h"
#include "sw/tl/prefetch.h"

namespace kernbench::ops {
namespace {

constexpr const char* operator_name = "rotary";

void rotary_kernel(tl::Program& tl, tl::Tensor x, tl::Tensor cos, tl::Tensor sin, tl::Tensor out,
                   std::int64_t d, int block_rows) {
  if (!out.has_local()) return;
  const Range rows = local_rows(out), columns{0, out.shape()[1]};
  const std::int64_t heads = columns.size() / d;
  const PlacedMatrix from(tl, x), cosines(tl, cos), sines(tl, sin), to(tl, out);
  struct Rows {
    tl::Handle x, cos, sin;
  };
  const std::vector<Range> blocks = blocks_of(rows, block_rows);
  const auto load = [&](std::int64_t i) {
    const Range& range = blocks[static_cast<std::size_t>(i)];
    return Rows{from.load_async(range, columns), cosines.load_async(range, {0, d / 2}),
                sines.load_async(range, {0, d / 2})};
  };
  const tl::Overlap overlap(tl);
  tl::Prefetch loads(static_cast<std::int64_t>(blocks.size()), load);
  for (const Range& range : blocks) {
    const Rows now = loads.next();
    const std::int64_t count = range.size();
    const auto [x0, x1] = tl.split(tl.trans(tl.reshape(now.x, {count, heads, 2, d / 2})));
    const tl::Handle c = tl.expand_dims(now.cos, 1), s = tl.expand_dims(now.sin, 1);
    const tl::Handle product0 = x1 * -s, product1 = x1 * c;  // f32
    const tl::Handle out0 = tl.math(MathOp::fma, {x0, c, product0}, {}, out.dtype()),
                     out1 = tl.math(MathOp::fma, {x0, s, product1}, {}, out.dtype());
    tl.store_async(to.at(range, columns),
                   tl.reshape(tl.cat({out0, out1}, 2), {count, columns.size()}));
  }
  tl.wait();
}

}  // namespace

std::vector<double> rotary_table(const std::vector<std::int64_t>& positions, std::int64_t d,
                                 double theta, double (*function)(double)) {
  std::vector<double> values;
  for (const std::int64_t position : positions) {
    for (std::int64_t i = 0; i < d / 2; ++i) {
      const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(d);
      values.push_back(function(static_cast<double>(position) * std::pow(theta, exponent)));
    }
  }
  return values;
}

void rotary(Torch& torch, const Tensor& x, std::int64_t d, const Tensor& cos, const Tensor& sin,
            const Tensor& out) {
  check_whole_rows(operator_name, out);
  const std::int64_t tokens = out.shape()[0], width = out.shape()[1];
  if (d < 2 || d % 2 != 0 || width % d != 0)
    throw UsageError(
        fmt::format("{}: heads of {} elements in rows of {}, allowed: an even number "
                    "that divides the row",
                    operator_name, d, width));
  if (x.shape().rank() != 2 || x.shape()[0] != tokens || x.shape()[1] < width || x.is_partial())
    throw UsageError(
        fmt::format("{}: '{}' is {}, expected {} rows of at least {} columns, without "
                    "partial sums",
                    operator_name, x.name(), x.shape().str(), tokens, width));
  for (const Tensor* angles : {&cos, &sin}) check_shape(operator_name, *angles, {tokens, d / 2});
  // two blocks of x and its angles, products and results
  const std::uint64_t row = static_cast<std::uint64_t>(width) * 24;
  const std::int64_t block =
      std::min<std::int64_t>(rows_in(torch.spec().scratch_bytes / 2, row), 64);
  torch.launch(operator_name, rotary_kernel, x, cos, sin, out, d, static_cast<int>(block));
}

}  // namespace kernbench::ops
