// int8-gemm: out{M, N} = a{M, K} b{K, N} of i8, dequantised to f16 by a scale for each row of a and
// each column of b, as in LLM.int8 (Dettmers et al. 2022); also with a scale for each group of k.
// Columns are distributed over the PEs of a cube.
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

// sum * row scale * column scale, of i32 or f32; the last operation rounds to f16.
tl::Handle dequantised(tl::Program& tl, const tl::Handle& sum, const tl::Handle& of_rows,
                       const tl::Handle& of_columns) {
  return tl.math(MathOp::mul, {sum * of_rows, of_columns}, {}, f16);
}

// Whole rows of a, which are dense, times blocks of b. The next rows and the next `stages` blocks
// of b are loaded concurrently with the products. PE_GEMM accumulates in i32, which is exact. With
// `grouped`, each block of k has its own scale: PE_MATH adds its product to sums in f32.
void int8_gemm(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor row_scales,
               tl::Tensor column_scales, tl::Tensor group_scales, tl::Tensor out, int block_m,
               int block_n, int stages, int block_k, bool grouped) {
  const std::int64_t M = a.shape()[0], K = a.shape()[1], N = b.local_shape()[1];
  const std::int64_t steps = tl.cdiv(K, block_k), row_tiles = tl.cdiv(M, block_m),
                     tiles = row_tiles * tl.cdiv(N, block_n);
  const auto a_rows =
      tl.make_tensor_descriptor(a.local(), {M, K}, {K, 1}, {block_m, steps * block_k});
  const auto b_blocks = tl.make_tensor_descriptor(b.local(), {K, N}, {N, 1}, {block_k, block_n});
  const auto of_rows = tl.make_tensor_descriptor(row_scales.local(), {M, 1}, {1, 1}, {block_m, 1});
  const auto of_columns =
      tl.make_tensor_descriptor(column_scales.local(), {1, N}, {N, 1}, {1, block_n});
  const auto results = tl.make_tensor_descriptor(out.local(), {M, N}, {N, 1}, {block_m, block_n});
  const auto row_of = [&](std::int64_t tile) { return tile % row_tiles * block_m; };
  const auto column_of = [&](std::int64_t tile) { return tile / row_tiles * block_n; };

  const tl::Overlap overlap(tl);
  tl::Handle next_rows = a_rows.load_async({0, 0});
  std::deque<tl::Handle> blocks;  // blocks of b, loaded or in flight
  std::int64_t next_step = 0;
  const auto load_blocks = [&] {
    for (; static_cast<int>(blocks.size()) < stages && next_step < tiles * steps; ++next_step)
      blocks.push_back(
          b_blocks.load_async({next_step % steps * block_k, column_of(next_step / steps)}));
  };
  load_blocks();
  const tl::Handle groups = tl.load_async(group_scales.local(), group_scales.local_shape(), f32);
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const tl::Handle rows = next_rows;
    const tl::Handle row_scale = of_rows.load_async({row_of(tile), 0}),
                     column_scale = of_columns.load_async({0, column_of(tile)});
    if (tile + 1 < tiles) next_rows = a_rows.load_async({row_of(tile + 1), 0});
    tl::Handle sum = tl.zeros({block_m, block_n}, grouped ? f32 : i32);
    for (std::int64_t step = 0; step < steps; ++step) {
      const tl::Handle block = blocks.front();
      blocks.pop_front();
      load_blocks();
      const tl::Handle columns = tl.slice(rows, 1, step * block_k, (step + 1) * block_k);
      if (grouped) {
        sum = tl.fma(tl.dot(columns, block), tl.slice(groups, step, step + 1), sum);
      } else {
        sum = tl.dot(columns, block, std::move(sum));
      }
    }
    results.store_async({row_of(tile), column_of(tile)},
                        dequantised(tl, sum, row_scale, column_scale));
  }
  tl.wait();
}

// One composite instead of the loops: its epilogue multiplies a tile by its scales. Scales of
// groups of k apply to each tile of k during accumulation.
void int8_gemm_composite(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor row_scales,
                         tl::Tensor column_scales, tl::Tensor group_scales, tl::Tensor out,
                         int tile_m, int tile_n, int tile_k, bool grouped) {
  const std::int64_t M = a.shape()[0], N = b.local_shape()[1];
  const tl::Handle of_rows = tl.load(row_scales.local(), {M, 1}, f32),
                   of_columns = tl.load(column_scales.local(), {N}, f32);
  std::vector<tl::EpilogueEntry> scales{tl::mul(tl.broadcast_to(of_rows, {M, N})),
                                        tl::mul(of_columns)};
  if (grouped)
    scales.push_back(tl::dequant(tl.load(group_scales.local(), group_scales.local_shape(), f32)));
  tl.composite(
      tl::gemm(tl.ref(a.local(), a.local_shape(), i8), tl.ref(b.local(), b.local_shape(), i8))
          .to(out.local())
          .tile({tile_m, tile_k, tile_n})
          .epilogue(std::move(scales)));
  tl.wait();
}

// Variant with dense blocking loads only: all columns of b in each block, columns of a as rows of
// its transpose; sums on PE_MATH.
void int8_gemm_detour(tl::Program& tl, tl::Tensor a, tl::Tensor b, tl::Tensor row_scales,
                      tl::Tensor column_scales, tl::Tensor group_scales, tl::Tensor out,
                      int block_m, int block_k, bool grouped) {
  const std::int64_t M = a.shape()[0], K = a.shape()[1], N = b.local_shape()[1];
  const tl::Handle of_rows = tl.load(row_scales.local(), {M, 1}, f32),
                   of_columns = tl.load(column_scales.local(), {N}, f32),
                   groups = tl.load(group_scales.local(), group_scales.local_shape(), f32);
  for (std::int64_t m = 0; m < M; m += block_m) {
    const std::int64_t count = std::min<std::int64_t>(block_m, M - m);
    const tl::Handle columns = tl.trans(tl.load(a.local() + m * K, {count, K}, i8));
    tl::Handle sum = tl.zeros({count, N}, grouped ? f32 : i32);
    for (std::int64_t k = 0; k < K; k += block_k) {
      const std::int64_t depth = std::min<std::int64_t>(block_k, K - k);
      const tl::Handle block = tl.load(b.local() + k * N, {depth, N}, i8);
      const tl::Handle product = tl.dot(tl.trans(tl.slice(columns, k, k + depth)), block);
      sum = grouped ? tl.fma(product, tl.slice(groups, k / block_k, k / block_k + 1), sum)
                    : sum + product;
    }
    const auto at = m * N * static_cast<std::int64_t>(size_of(f16));
    tl.store(out.local() + at, dequantised(tl, sum, tl.slice(of_rows, m, m + count), of_columns));
  }
}

// --- on the host

constexpr std::uint64_t block_bytes = 64 * 1024,  // block of a; two or three fit the scratch
    sum_bytes = 128 * 1024;  // sums of a tile in 32 bits; two more in f32 and f16
// Register file content: a tile of a, one of b, its sum and its scales.
constexpr std::int64_t tile_bytes = 8 * 1024, widest_tile = 64;

// All values of i8: -128 and 127 are frequent. Row 0 and column 0 are -128, for the largest
// possible sum.
std::vector<double> quantised(Torch& torch, const Shape& shape, bool first_row) {
  std::vector<double> values = torch.random(shape, i8).values();
  const std::vector<double> fine = torch.random(shape, i8).values();
  const auto columns = static_cast<std::size_t>(shape[1]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool lowest = first_row ? i < columns : i % columns == 0;
    values[i] = lowest ? -128 : std::clamp(16 * values[i] + fine[i], -128.0, 127.0);
  }
  return values;
}

// Scales of absmax quantisation of values up to `largest`: (largest / 2 to largest) / 127.
std::vector<double> scales(Torch& torch, std::int64_t count, double largest) {
  return reference::each(torch.random({count}, f16).values(),
                         [largest](double x) { return (1 - std::abs(x) / 2) * largest / 127; });
}

struct Quantised {
  Input a, b, row_scales, column_scales, group_scales;
};

// Reference: row k of b is multiplied by scales[k / group].
std::vector<double> reference_of(const Quantised& in, std::int64_t group, bool grouped) {
  const std::vector<double> of_rows = in.row_scales.host->values(),
                            of_columns = in.column_scales.host->values(),
                            of_groups = in.group_scales.host->values();
  const auto K = static_cast<std::int64_t>(in.a.host->shape()[1]);
  const std::size_t N = of_columns.size();
  std::vector<double> b = in.b.host->values();
  for (std::size_t i = 0; grouped && i < b.size(); ++i)
    b[i] *= of_groups[i / N / static_cast<std::size_t>(group)];
  std::vector<double> product =
      reference::matmul(in.a.host->values(), b, static_cast<std::int64_t>(of_rows.size()), K,
                        static_cast<std::int64_t>(N));
  for (std::size_t i = 0; i < product.size(); ++i) product[i] *= of_rows[i / N] * of_columns[i % N];
  return product;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t M = given.integer("M"), N = given.integer("N"), K = given.integer("K");
  const bool grouped = given.text("scales") == "k_group";
  const int pes = parts(torch, N);
  const std::string& form = given.text("form");
  const std::int64_t columns = tl::Program::cdiv(N, pes);  // columns of b per PE
  const int block_n = static_cast<int>(
                form == "detour" ? columns : std::min(given.integer("block_n"), columns)),
            block_k = static_cast<int>(std::min(given.integer("block_k"), K)),
            block_m = std::min(
                rows_within(M, static_cast<std::uint64_t>(K), block_bytes),
                rows_within(M, static_cast<std::uint64_t>(block_n) * size_of(i32), sum_bytes));
  const std::int64_t groups = tl::Program::cdiv(K, block_k);

  Quantised in;
  in.a = input_of(torch, {M, K}, i8, copy_on(pes), "a", [&] {
    return quantised(torch, {M, K}, true);
  });
  in.b = input_of(torch, {K, N}, i8, columns_over(pes), "b", [&] {
    return quantised(torch, {K, N}, false);
  });
  in.row_scales =
      input_of(torch, {M}, f32, copy_on(pes), "row_scales", [&] { return scales(torch, M, 1); });
  const double of_weights = 1 / std::sqrt(static_cast<double>(K));  // keeps results of f16 finite
  in.column_scales = input_of(torch, {N}, f32, columns_over(pes), "column_scales",
                              [&] { return scales(torch, N, of_weights); });
  in.group_scales = input_of(torch, {groups}, f32, copy_on(pes), "group_scales",
                             [&] { return scales(torch, groups, 127); });
  const Tensor out = torch.empty({M, N}, f16, columns_over(pes), "out");

  const LaunchSpec launch = launch_on_first("int8_gemm", pes);
  const auto launched = [&](const auto& kernel, const auto&... extents) {
    torch.launch(launch, kernel, in.a.tensor, in.b.tensor, in.row_scales.tensor,
                 in.column_scales.tensor, in.group_scales.tensor, out, extents..., block_k,
                 grouped);
  };
  if (form == "blocks") {
    launched(int8_gemm, block_m, block_n, static_cast<int>(given.integer("stages")));
  } else if (form == "composite") {
    const auto side =
        static_cast<int>(std::clamp<std::int64_t>(tile_bytes / block_k, 1, widest_tile));
    launched(int8_gemm_composite, side, side);
  } else {
    launched(int8_gemm_detour, block_m);
  }
  // One rounding to f16. Roundings to f32 are 2^13 times smaller: one of the sum, two of products,
  // and two for each group.
  const auto to_f32 = static_cast<double>(3 + (grouped ? 2 * groups : 0));
  torch.verify(
      out, [in, block_k, grouped] { return reference_of(in, block_k, grouped); },
      1 + to_f32 / (1 << 13));
}

}  // namespace

void register_int8_gemm(BenchRegistry& registry) {
  registry.add(
      {"int8-gemm",
       "Matrix product of i8 with a scale for each row and column, dequantised to f16; columns "
       "over the PEs of a cube",
       {extent("M", "rows of a and of the result", 128),
        Parameter::integer("K", "columns of a, rows of b; sums stay within i32", "", "spec 10.3")
            .default_val(1024)
            .range("1", "131071"),
        extent("N", "columns of b and of the result", 512), shared_by_pes("columns of b"),
        Parameter::integer("block_k", "rows of b in a block", "", "spec 10.3")
            .default_val(128)
            .range("1", "65536"),
        Parameter::integer("block_n",
                           "columns of b in a block, at most; the detour takes all of a PE", "",
                           "spec 10.3")
            .default_val(512)
            .range("1", "65536"),
        Parameter::integer("stages", "blocks of b that form blocks loads ahead", "", "spec 10.3")
            .default_val(4)
            .range("1", "16"),
        choice("scales",
               "channel: a scale for each row of a and column of b; k_group: in addition one for "
               "each block of k",
               {"channel", "k_group"}),
        choice("form",
               "blocks: double-buffered loads and products that add; composite: tiles of "
               "PE_SCHEDULER with an epilogue; detour: dense blocking loads, sums on PE_MATH",
               {"blocks", "composite", "detour"})},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
