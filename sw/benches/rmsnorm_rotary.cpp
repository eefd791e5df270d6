// rmsnorm-rotary: RMS normalisation of the rows of x{T, heads * d}, then a rotary position
// embedding of each head: the operations between a projection and attention. Rows are distributed
// over the PEs of a cube.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/tl/prefetch.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// First and second elements of the pairs that rotate together, of blocks {rows, heads, d}: {i, i +
// d / 2} of a head, or {2 i, 2 i + 1}, as `interleaved` of flash-attention's rotary_kernel.
std::pair<tl::Handle, tl::Handle> pairs_of(tl::Program& tl, const tl::Handle& x, bool interleaved) {
  const std::int64_t rows = x.shape()[0], heads = x.shape()[1], half = x.shape()[2] / 2;
  return tl.split(interleaved ? tl.reshape(x, {rows, heads, half, 2})
                              : tl.trans(tl.reshape(x, {rows, heads, 2, half})));
}

// Heads assembled from their pairs: another pass of PE_MATH.
tl::Handle heads_of(tl::Program& tl, const tl::Handle& first, const tl::Handle& second,
                    bool interleaved) {
  const std::int64_t rows = first.shape()[0], heads = first.shape()[1], d = 2 * first.shape()[2];
  return interleaved ? tl.reshape(tl.join(first, second), {rows, heads, d})
                     : tl.cat({first, second}, 2);
}

struct Rows {
  tl::Handle x, cos, sin;
};

// Computed in f32; the last operation rounds to the dtype. Five passes of PE_MATH over a block: its
// squares and their sum, the weights, and two for the rotation. 1 / rms is constant over a row: it
// is multiplied into the row's few cosines and sines. The next rows are loaded, and the last ones
// stored, concurrently; rows beyond the end are zeros and are not stored.
void rmsnorm_rotary(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor cos, tl::Tensor sin,
                    tl::Tensor out, int heads, float epsilon, int block_rows, bool interleaved) {
  const std::int64_t rows = x.local_shape()[0], width = x.local_shape()[1], d = width / heads;
  // {rows, heads, elements of a head}, and the number of these elements in a block.
  const auto blocks_of = [&](const tl::Tensor& tensor, std::int64_t elements) {
    return tl.make_tensor_descriptor(tensor.local(), {rows, heads, d}, {width, d, 1},
                                     {block_rows, heads, elements});
  };
  const auto angles_of = [&](const tl::Tensor& tensor) {  // the same for all heads
    return tl.make_tensor_descriptor(tensor.local(), {rows, 1, d / 2}, {d / 2, d / 2, 1},
                                     {block_rows, 1, d / 2});
  };
  const auto x_blocks = blocks_of(x, d), out_blocks = blocks_of(out, d),
             out_halves = blocks_of(out, d / 2);
  const auto cos_blocks = angles_of(cos), sin_blocks = angles_of(sin);
  const auto load = [&](std::int64_t block) {
    const std::int64_t row = block * block_rows;
    return Rows{x_blocks.load_async({row, 0, 0}), cos_blocks.load_async({row, 0, 0}),
                sin_blocks.load_async({row, 0, 0})};
  };
  // A run of a strided store takes at least one burst.
  const bool long_halves = !interleaved && d / 2 * size_of(out.dtype()) >= 64;

  const tl::Overlap overlap(tl);
  tl::Prefetch loads(tl.cdiv(rows, block_rows), load);
  const tl::Handle weights = tl.cast(tl.load(gamma, {heads, d}, gamma.dtype()), f32);
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const Rows now = loads.next();
    const tl::Handle squares = tl.math(MathOp::mul, {now.x, now.x}, {}, f32);
    const tl::Handle mean = tl.sum(squares, {1, 2}) / static_cast<double>(width);
    const tl::Handle inverse_rms = tl.rsqrt(mean + epsilon);
    const tl::Handle c = now.cos * inverse_rms, s = now.sin * inverse_rms;
    const auto [x0, x1] = pairs_of(tl, now.x * weights, interleaved);
    const tl::Handle out0 = tl.math(MathOp::fma, {x0, c, x1 * -s}, {}, out.dtype()),
                     out1 = tl.math(MathOp::fma, {x0, s, x1 * c}, {}, out.dtype());
    if (long_halves) {
      out_halves.store_async({row, 0, 0}, out0);
      out_halves.store_async({row, 0, d / 2}, out1);
    } else {
      out_blocks.store_async({row, 0, 0}, heads_of(tl, out0, out1, interleaved));
    }
  }
  tl.wait();
}

// Variant without slices, joins and strided stores: a product with `partner`{d, d}, a signed
// permutation, moves each element's partner, and `cos` and `sin`{T, d} store every angle twice.
void rmsnorm_rotary_detour(tl::Program& tl, tl::Tensor x, tl::Tensor gamma, tl::Tensor cos,
                           tl::Tensor sin, tl::Tensor partner, tl::Tensor out, float epsilon,
                           int block_rows) {
  const std::int64_t rows = x.local_shape()[0], width = x.local_shape()[1], d = partner.shape()[0],
                     heads = width / d;
  const auto bytes = [](std::int64_t elements, DType dtype) {
    return elements * static_cast<std::int64_t>(size_of(dtype));
  };
  const tl::Handle weights = tl.cast(tl.load(gamma, {width}, gamma.dtype()), f32),
                   swap = tl.load(partner, {d, d}, f32);
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const auto at = bytes(row * width, x.dtype());
    const tl::Handle block = tl.cast(tl.load(x.local() + at, {count, width}, x.dtype()), f32);
    const tl::Handle mean = tl.sum(block * block, 1) / static_cast<double>(width);
    const tl::Handle normalised = block * tl.rsqrt(mean + epsilon) * weights;
    const tl::Handle partners = tl.dot(tl.reshape(normalised, {count * heads, d}), swap);
    const tl::Handle c = tl.load(cos.local() + bytes(row * d, f32), {count, 1, d}, f32),
                     s = tl.load(sin.local() + bytes(row * d, f32), {count, 1, d}, f32);
    const Shape by_head{count, heads, d};
    const tl::Handle rotated =
        tl.fma(tl.reshape(partners, by_head), s, tl.reshape(normalised, by_head) * c);
    tl.store(out.local() + at, tl.cast(rotated, out.dtype()));
  }
}

// --- on the host

constexpr float epsilon = 1e-5F;
constexpr std::uint64_t block_bytes =
    16 * 1024;  // block of x in f32: short, as the first load and the last store do not overlap

struct Layer {
  std::int64_t tokens = 0, heads = 0, d = 0;
  bool interleaved = false;

  std::int64_t width() const { return heads * d; }
  // Angle of pair i at a position: position * 10000 ^ (-2 i / d) (Su et al. 2021).
  double angle(std::int64_t position, std::int64_t pair) const {
    const double exponent = -2.0 * static_cast<double>(pair) / static_cast<double>(d);
    return static_cast<double>(position) * std::pow(10000.0, exponent);
  }
  std::int64_t pair_of(std::int64_t i) const { return interleaved ? i / 2 : i % (d / 2); }
  bool is_first(std::int64_t i) const { return interleaved ? i % 2 == 0 : i < d / 2; }
  std::int64_t partner_of(std::int64_t i) const {
    const std::int64_t distance = interleaved ? 1 : d / 2;
    return is_first(i) ? i + distance : i - distance;
  }
};

// Rows of a block of the detour: up to six such blocks in f32 and two of angles in the scratch of 1
// MiB, in addition to `partner`.
int detour_rows(const Layer& layer, std::int64_t rows) {
  const std::int64_t partner = layer.d * layer.d * 4, row = (6 * layer.width() + 2 * layer.d) * 4;
  return rows_within(rows, static_cast<std::uint64_t>(row),
                     static_cast<std::uint64_t>(1024 * 1024 - partner));
}

// function(angle) of each position, for the pairs of a head, or for all its elements.
std::vector<double> table(const Layer& layer, bool of_elements, double (*function)(double)) {
  std::vector<double> values;
  for (std::int64_t position = 0; position < layer.tokens; ++position) {
    for (std::int64_t i = 0; i < (of_elements ? layer.d : layer.d / 2); ++i)
      values.push_back(function(layer.angle(position, of_elements ? layer.pair_of(i) : i)));
  }
  return values;
}

// Column j selects the partner of element j, negated for the first of a pair.
std::vector<double> partner_matrix(const Layer& layer) {
  std::vector<double> values(static_cast<std::size_t>(layer.d * layer.d));
  for (std::int64_t j = 0; j < layer.d; ++j)
    values[static_cast<std::size_t>(layer.partner_of(j) * layer.d + j)] =
        layer.is_first(j) ? -1 : 1;
  return values;
}

// Rows with magnitudes from 2^-8 to 2^8: small ones where epsilon matters, large ones whose squares
// exceed the range of f16.
std::vector<double> of_many_magnitudes(std::vector<double> values, std::int64_t width) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / width;
    values[i] *= std::exp2(static_cast<double>(row % 9 - 4) * 2);
  }
  return values;
}

std::vector<double> reference_of(const Layer& layer, const HostArray& x, const HostArray& gamma) {
  std::vector<double> values = x.values();
  const std::vector<double> weights = gamma.values();
  for (std::int64_t token = 0; token < layer.tokens; ++token) {
    double* const row = values.data() + token * layer.width();
    double squares = 0;
    for (std::int64_t i = 0; i < layer.width(); ++i) squares += row[i] * row[i];
    const double rms = std::sqrt(squares / static_cast<double>(layer.width()) + epsilon);
    for (std::int64_t i = 0; i < layer.width(); ++i)
      row[i] *= weights[static_cast<std::size_t>(i)] / rms;
    for (std::int64_t head = 0; head < layer.width(); head += layer.d) {
      for (std::int64_t i = 0; i < layer.d; ++i) {
        if (!layer.is_first(i)) continue;
        const double angle = layer.angle(token, layer.pair_of(i));
        double &x0 = row[head + i], &x1 = row[head + layer.partner_of(i)];
        const double turned = x0 * std::cos(angle) - x1 * std::sin(angle);
        x1 = x0 * std::sin(angle) + x1 * std::cos(angle);
        x0 = turned;
      }
    }
  }
  return values;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const Layer layer{given.integer("tokens"), given.integer("heads"), given.integer("d"),
                    given.text("pairs") == "interleaved"};
  if (layer.d % 2 != 0)
    throw UsageError(fmt::format("rmsnorm-rotary: d is {}: heads are made of pairs", layer.d));
  const bool detour = given.text("form") == "detour";
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, layer.tokens);
  const Shape shape{layer.tokens, layer.width()};
  const Shape angles{layer.tokens, detour ? layer.d : layer.d / 2};

  const Input x = input_of(torch, shape, dtype, rows_over(pes), "x", [&] {
    return of_many_magnitudes(torch.random(shape, dtype).values(), layer.width());
  });
  const Input gamma = random_input(torch, {layer.width()}, dtype, copy_on(pes), "gamma");
  const Input cos = input_of(torch, angles, f32, rows_over(pes), "cos",
                             [&] { return table(layer, detour, &std::cos); });
  const Input sin = input_of(torch, angles, f32, rows_over(pes), "sin",
                             [&] { return table(layer, detour, &std::sin); });
  const Tensor out = torch.empty(shape, dtype, rows_over(pes), "out");

  const LaunchSpec launch = launch_on_first("rmsnorm_rotary", pes);
  const std::int64_t rows = tl::Program::cdiv(layer.tokens, pes);
  if (detour) {
    const Input partner = input_of(torch, {layer.d, layer.d}, f32, copy_on(pes), "partner",
                                   [&] { return partner_matrix(layer); });
    torch.launch(launch, rmsnorm_rotary_detour, x.tensor, gamma.tensor, cos.tensor, sin.tensor,
                 partner.tensor, out, epsilon, detour_rows(layer, rows));
  } else {
    torch.launch(
        launch, rmsnorm_rotary, x.tensor, gamma.tensor, cos.tensor, sin.tensor, out,
        static_cast<int>(layer.heads), epsilon,
        rows_within(rows, static_cast<std::uint64_t>(layer.width()) * size_of(f32), block_bytes),
        layer.interleaved);
  }
  // Nine roundings to f32 from x to a result (square, sum, mean, + epsilon, rsqrt, in the detour
  // two products, then the cosine and the product with it) and one to the dtype.
  torch.verify(
      out, [layer, x = x.host, gamma = gamma.host] { return reference_of(layer, *x, *gamma); },
      dtype == f32 ? 10 : 1);
}

}  // namespace

void register_rmsnorm_rotary(BenchRegistry& registry) {
  registry.add(
      {"rmsnorm-rotary",
       "RMS normalisation of rows, then a rotary embedding of each head; rows over the PEs",
       {extent("tokens", "rows of x", 256),
        Parameter::integer("heads", "heads of a row of x; a few rows in f32 must fit the scratch",
                           "", "spec 10.3")
            .default_val(8)
            .range("1", "128"),
        Parameter::integer("d", "elements of a head; even", "", "spec 10.3")
            .default_val(128)
            .range("2", "256"),
        float_dtype("element type of x, gamma and the result; cosines and sines are f32"),
        shared_by_pes("rows"),
        choice("pairs",
               "elements that rotate together; half: {i, i + d/2} (GPT-NeoX, Llama), "
               "interleaved: {2i, 2i + 1} (GPT-J)",
               {"half", "interleaved"}),
        choice("form",
               "blocks: slices, strides and overlap; detour: dense loads, partners by a "
               "product with a permutation",
               {"blocks", "detour"})},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
