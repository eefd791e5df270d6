// moe-routing: a layer of a mixture of experts. The router selects experts for each token; out =
// sum of weight * (token times the expert's matrix) over these experts. Three launches, as in
// vLLM's fused_moe: route, expert products of gathered tokens, weighted sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/tl/overlap.h"
#include "sw/tl/prefetch.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE. x{tokens, width}, router{width, experts} whole on each, chosen{tokens, top} i32
// and weights{tokens, top} f32 of the chosen experts, matrices{experts, width, out_width}, and
// y{tokens, top, out_width} f32 of the products ---

// `count` rows of the PE's part of a matrix, starting with its first row.
tl::BlockPtr first_rows(tl::Program& tl, const tl::Tensor& matrix, std::int64_t count) {
  const std::int64_t rows = matrix.local_shape()[0], columns = matrix.local_shape()[1];
  return tl.make_block_ptr(matrix.local(), {rows, columns}, {columns, 1}, {0, 0}, {count, columns});
}

// Chooses `top` experts for each token of this PE, `count` tokens at a time.
void route(tl::Program& tl, tl::Tensor x, tl::Tensor router, tl::Tensor chosen, tl::Tensor weights,
           int top, int count) {
  const tl::Boundary rows{{0}};
  tl::BlockPtr from = first_rows(tl, x, count), to_chosen = first_rows(tl, chosen, count),
               to_weights = first_rows(tl, weights, count);
  const tl::Handle gate = tl.load(router.local(), router.local_shape(), router.dtype());
  const tl::Overlap overlap(tl);
  tl::Handle next = tl.load_async(from, rows);
  for (std::int64_t token = 0; token < x.local_shape()[0]; token += count) {
    const tl::Handle tokens = next;
    from = tl.advance(from, {count, 0});
    if (token + count < x.local_shape()[0]) next = tl.load_async(from, rows);
    const auto best = tl.topk_with_indices(tl.dot(tokens, gate, f32), top);
    tl.store_async(to_chosen, best.indices, rows);
    // Softmax over the chosen logits equals the renormalised softmax over all logits.
    tl.store_async(to_weights, tl.softmax(best.values, 1), rows);
    to_chosen = tl.advance(to_chosen, {count, 0});
    to_weights = tl.advance(to_weights, {count, 0});
  }
  tl.wait();
}

// Panel of columns of an expert's matrix, and the pairs that it multiplies.
struct Panel {
  std::int64_t expert, column;  // expert of the PE, from 0
  std::int64_t begin, end;      // pairs sorted by expert
};

// Panels of the experts that at least one token has chosen; computes the number of pairs per
// expert.
std::vector<Panel> panels_of(tl::Program& tl, const tl::Handle& experts, const tl::Tensor& matrices,
                             std::int64_t columns) {
  std::vector<Panel> panels;
  for (std::int64_t i = 0; i < matrices.local_shape()[0]; ++i) {
    const auto expert = static_cast<double>(matrices.local_start()[0] + i);
    const auto begin = static_cast<std::int64_t>(tl.sum(experts < expert).item()),
               end = static_cast<std::int64_t>(tl.sum(experts <= expert).item());
    for (std::int64_t column = 0; begin < end && column < matrices.shape()[2]; column += columns)
      panels.push_back({i, column, begin, end});
  }
  return panels;
}

// Products of the experts of this PE. Pair p is choice p % top of token p / top: pairs are sorted
// by expert, and the rows of each expert are gathered from x and scattered to y by row numbers,
// `count` at a time. The next panel of `columns` is loaded, and rows are gathered and scattered,
// concurrently with products. Needs --data eager: row addresses depend on computed values.
void multiply_by_experts(tl::Program& tl, tl::Tensor x, tl::Tensor chosen, tl::Tensor matrices,
                         tl::Tensor y, int top, int count, int columns) {
  const std::int64_t pairs = x.shape()[0] * top, width = x.shape()[1], out_width = y.shape()[2];
  const tl::Handle experts = tl.load(chosen, {pairs}, i32);
  const std::vector<Panel> panels = panels_of(tl, experts, matrices, columns);
  if (panels.empty()) return;
  const auto load_async = [&](const Panel& panel) {
    const Shape block{1, width, std::min<std::int64_t>(columns, out_width - panel.column)};
    return tl.load_async(tl.make_block_ptr(matrices.local(), matrices.local_shape().extents(),
                                           {width * out_width, out_width, 1},
                                           {panel.expert, 0, panel.column}, block));
  };
  const tl::Overlap overlap(tl);
  tl::Handle next = load_async(panels.front());
  const tl::Handle sorted = tl.sort_with_indices(experts).indices;
  const auto tokens = tl.make_tensor_descriptor(x, x.shape().extents(), {width, 1}, {1, width});
  std::function<void()> scatter_last = [] {};
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& panel = panels[i];
    const tl::Handle matrix = tl.reshape(next, {width, next.shape()[2]});
    if (i + 1 < panels.size()) next = load_async(panels[i + 1]);
    const auto to =
        tl.make_tensor_descriptor(y, {pairs, out_width}, {out_width, 1}, {1, matrix.shape()[1]});
    for (std::int64_t pair = panel.begin; pair < panel.end; pair += count) {
      const tl::Handle rows = tl.slice(sorted, pair, std::min(pair + count, panel.end));
      const tl::Handle product = tl.dot(tokens.gather(tl.idiv(rows, top)), matrix, f32);
      scatter_last();
      scatter_last = [=] { to.scatter(product, rows, panel.column); };
    }
  }
  scatter_last();
}

// Weighted sum of the products of each token of this PE, `count` tokens at a time.
void combine(tl::Program& tl, tl::Tensor y, tl::Tensor weights, tl::Tensor out, int count) {
  const std::int64_t tokens = out.local_shape()[0], width = out.local_shape()[1],
                     top = weights.local_shape()[1];
  const tl::Boundary rows{{0}};
  tl::BlockPtr products =
                   tl.make_block_ptr(y.local(), {tokens, top, width}, {top * width, width, 1},
                                     {0, 0, 0}, {count, top, width}),
               factors = first_rows(tl, weights, count), to = first_rows(tl, out, count);
  const tl::Overlap overlap(tl);
  tl::Handle next_products = tl.load_async(products, rows),
             next_factors = tl.load_async(factors, rows);
  for (std::int64_t token = 0; token < tokens; token += count) {
    const tl::Handle block = next_products, factor = tl.expand_dims(next_factors, 2);
    products = tl.advance(products, {count, 0, 0});
    factors = tl.advance(factors, {count, 0});
    if (token + count < tokens) {
      next_products = tl.load_async(products, rows);
      next_factors = tl.load_async(factors, rows);
    }
    const tl::Handle sum = tl.sum(block * factor, 1, false);
    tl.store_async(to, tl.cast(sum, out.dtype()), rows);
    to = tl.advance(to, {count, 0});
  }
  tl.wait();
}

// --- detour variant: dense accesses and blocking calls, maxima by rounds, tokens copied row by row
// through memory. The sum is already dense ---

void route_by_rounds(tl::Program& tl, tl::Tensor x, tl::Tensor router, tl::Tensor chosen,
                     tl::Tensor weights, int top, int block_rows) {
  const std::int64_t rows = x.local_shape()[0], width = x.local_shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const tl::Handle gate = tl.load(router.local(), router.local_shape(), router.dtype());
  const tl::Handle experts = tl.arange(0, gate.shape()[1]), choices = tl.arange(0, top);
  for (std::int64_t row = 0; row < rows; row += block_rows) {
    const std::int64_t count = std::min<std::int64_t>(block_rows, rows - row);
    const tl::Handle tokens = tl.load(x.local() + row * width * size, {count, width}, x.dtype());
    tl::Handle logits = tl.dot(tokens, gate, f32);
    tl::Handle best = tl.zeros({count, top}, f32), places = tl.zeros({count, top}, i32);
    for (int choice = 0; choice < top; ++choice) {
      const tl::Handle largest = tl.max(logits, 1), place = tl.argmax(logits, 1);
      best = tl.where(choices - choice, best, largest);
      places = tl.where(choices - choice, places, place);
      logits = tl.where(experts - place, logits, -INFINITY);
    }
    const std::int64_t offset = row * top * static_cast<std::int64_t>(size_of(f32));
    tl.store(chosen.local() + offset, places);
    tl.store(weights.local() + offset, tl.softmax(best, 1));
  }
}

// packed{pairs, width} and products{pairs, out_width}: tokens and results by expert. PE_CPU sorts.
void multiply_copies(tl::Program& tl, tl::Tensor x, tl::Tensor chosen, tl::Tensor matrices,
                     tl::Tensor packed, tl::Tensor products, tl::Tensor y, int top) {
  const std::int64_t width = matrices.local_shape()[1], out_width = matrices.local_shape()[2];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t row_bytes = width * size,
                     out_bytes = out_width * static_cast<std::int64_t>(size_of(f32));
  const std::vector<std::int64_t> experts =
      tl.load(chosen, {x.shape()[0] * top}, i32).index_values();
  for (std::int64_t i = 0; i < matrices.local_shape()[0]; ++i) {
    const std::int64_t expert = matrices.local_start()[0] + i;
    const std::int64_t first =
        std::count_if(experts.begin(), experts.end(), [&](std::int64_t e) { return e < expert; });
    std::vector<std::int64_t> pairs;
    for (std::size_t pair = 0; pair < experts.size(); ++pair)
      if (experts[pair] == expert) pairs.push_back(static_cast<std::int64_t>(pair));
    if (pairs.empty()) continue;
    const auto count = static_cast<std::int64_t>(pairs.size());
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int64_t token = pairs[static_cast<std::size_t>(row)] / top;
      tl.store(packed + (first + row) * row_bytes,
               tl.load(x + token * row_bytes, {1, width}, x.dtype()));
    }
    const tl::Handle block = tl.ref(packed + first * row_bytes, {count, width}, x.dtype()),
                     matrix = tl.ref(matrices.local() + i * width * out_width * size,
                                     {width, out_width}, matrices.dtype());
    tl.wait(tl.composite(tl::gemm(block, matrix).to(products + first * out_bytes)));
    for (std::int64_t row = 0; row < count; ++row) {
      tl.store(y + pairs[static_cast<std::size_t>(row)] * out_bytes,
               tl.load(products + (first + row) * out_bytes, {1, out_width}, f32));
    }
  }
}

// --- variant without indices: every expert for every token, y{experts, tokens, out_width} f32; an
// expert that was not chosen has weight 0 ---

void multiply_all(tl::Program& tl, tl::Tensor x, tl::Tensor matrices, tl::Tensor y) {
  const std::int64_t tokens = x.shape()[0], width = x.shape()[1], out_width = y.shape()[2];
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  for (std::int64_t i = 0; i < matrices.local_shape()[0]; ++i) {
    const tl::Handle matrix = tl.ref(matrices.local() + i * width * out_width * size,
                                     {width, out_width}, matrices.dtype());
    tl.composite(
        tl::gemm(tl.ref(x, x.shape(), x.dtype()), matrix)
            .to(y.local() + i * tokens * out_width * static_cast<std::int64_t>(size_of(f32)))
            .tile({32, 256 / size, 128}));  // wide tiles fetch the operands less often
  }
  tl.wait();
}

void combine_all(tl::Program& tl, tl::Tensor y, tl::Tensor chosen, tl::Tensor weights,
                 tl::Tensor out, int count) {
  const std::int64_t experts = y.shape()[0], tokens = y.shape()[1], width = y.shape()[2];
  const std::int64_t first = out.local_start()[0], end = first + out.local_shape()[0];
  const auto products_of = [&](std::int64_t expert, std::int64_t token) {
    return tl.load_async(tl.make_block_ptr(y, {experts, tokens, width}, {tokens * width, width, 1},
                                           {expert, token, 0},
                                           {1, std::min<std::int64_t>(count, end - token), width}));
  };
  const tl::Handle chosen_here = tl.load(chosen.local(), chosen.local_shape(), i32),
                   weights_here = tl.load(weights.local(), weights.local_shape(), f32);
  const tl::Overlap overlap(tl);
  for (std::int64_t token = first; token < end; token += count) {
    const std::int64_t rows = std::min<std::int64_t>(count, end - token);
    const tl::Handle experts_of = tl.slice(chosen_here, token - first, token - first + rows),
                     weights_of = tl.slice(weights_here, token - first, token - first + rows);
    tl::Handle sum = tl.zeros({rows, width}, f32);
    tl::Prefetch loads(experts, [&](std::int64_t expert) { return products_of(expert, token); });
    for (std::int64_t expert = 0; expert < experts; ++expert) {
      const tl::Handle products = tl.reshape(loads.next(), {rows, width});
      const tl::Handle is_chosen = experts_of == static_cast<double>(expert);
      sum = tl.fma(products, tl.sum(tl.where(is_chosen, weights_of, 0.0), 1), sum);
    }
    tl.store_async(
        tl.make_block_ptr(out, out.shape().extents(), {width, 1}, {token, 0}, {rows, width}),
        tl.cast(sum, out.dtype()));
  }
  tl.wait();
}

// --- on the host

// Blocks in the scratch of 1 MiB, each twice: rows that a kernel works on, in f32, and a panel of a
// matrix.
constexpr std::uint64_t block_bytes = 64 * 1024, product_bytes = 128 * 1024,
                        panel_bytes = 192 * 1024;

struct Layer {
  std::int64_t tokens = 0, width = 0, out_width = 0, experts = 0;
  int top = 1;
  Input x, router, matrices;
  Tensor chosen, weights, out;
  int token_pes = 1, expert_pes = 1;
};

Layer make_layer(Torch& torch) {
  const Attributes& given = torch.parameters();
  Layer layer;
  layer.tokens = given.integer("tokens");
  layer.width = given.integer("width");
  layer.out_width = given.integer("out_width");
  layer.experts = given.integer("experts");
  layer.top = static_cast<int>(given.integer("top"));
  if (layer.top > layer.experts)
    throw UsageError(
        fmt::format("moe-routing: {} of {} experts for each token; top is at most that", layer.top,
                    layer.experts));
  layer.token_pes = parts(torch, layer.tokens);
  layer.expert_pes = parts(torch, layer.experts);
  const DType dtype = parse_dtype(given.text("dtype"));
  const DPPolicy by_token = rows_over(layer.token_pes), by_expert = rows_over(layer.expert_pes);
  layer.x = random_input(torch, {layer.tokens, layer.width}, dtype, by_token, "x");
  layer.router =
      random_input(torch, {layer.width, layer.experts}, dtype, copy_on(layer.token_pes), "router");
  layer.matrices = random_input(torch, {layer.experts, layer.width, layer.out_width}, dtype,
                                by_expert, "matrices");
  layer.chosen = torch.empty({layer.tokens, layer.top}, i32, by_token, "chosen");
  layer.weights = torch.empty({layer.tokens, layer.top}, f32, by_token, "weights");
  layer.out = torch.empty({layer.tokens, layer.out_width}, dtype, by_token, "out");
  return layer;
}

int rows_of(std::int64_t rows, std::int64_t width, std::uint64_t bytes = block_bytes) {
  return rows_within(rows, static_cast<std::uint64_t>(width) * size_of(f32), bytes);
}

void launch_layer(Torch& torch, const Layer& layer) {
  const std::string& form = torch.parameters().text("form");
  const std::int64_t tokens = tl::Program::cdiv(layer.tokens, layer.token_pes),
                     pairs = layer.tokens * layer.top;
  const LaunchSpec routing = launch_on_first("route", layer.token_pes),
                   products = launch_on_first("experts", layer.expert_pes),
                   sums = launch_on_first("combine", layer.token_pes);
  torch.launch(routing, form == "detour" ? route_by_rounds : route, layer.x.tensor,
               layer.router.tensor, layer.chosen, layer.weights, layer.top,
               rows_of(tokens, layer.width + layer.experts));
  if (form == "dense") {
    const Tensor y = torch.empty({layer.experts, layer.tokens, layer.out_width}, f32,
                                 rows_over(layer.expert_pes), "y");
    torch.launch(products, multiply_all, layer.x.tensor, layer.matrices.tensor, y);
    torch.launch(sums, combine_all, y, layer.chosen, layer.weights, layer.out,
                 rows_of(tokens, layer.out_width));
    return;
  }
  const DPPolicy by_token = rows_over(layer.token_pes);
  const Tensor y = torch.empty({layer.tokens, layer.top, layer.out_width}, f32, by_token, "y");
  if (form == "blocks") {
    torch.launch(products, multiply_by_experts, layer.x.tensor, layer.chosen, layer.matrices.tensor,
                 y, layer.top, rows_of(pairs, layer.width + layer.out_width, product_bytes),
                 rows_within(layer.out_width,
                             static_cast<std::uint64_t>(layer.width) *
                                 size_of(layer.matrices.tensor.dtype()),
                             panel_bytes));
  } else {
    const Tensor packed =
                     torch.empty({pairs, layer.width}, layer.x.tensor.dtype(), by_token, "packed"),
                 results = torch.empty({pairs, layer.out_width}, f32, by_token, "products");
    torch.launch(products, multiply_copies, layer.x.tensor, layer.chosen, layer.matrices.tensor,
                 packed, results, y, layer.top);
  }
  torch.launch(sums, combine, y, layer.weights, layer.out,
               rows_of(tokens, layer.out_width * layer.top));
}

void run(Torch& torch) {
  const Layer layer = make_layer(torch);
  launch_layer(torch, layer);
  // Logits are exact in f32, so that the kernel chooses the same experts.
  const auto expected = [x = layer.x.host, router = layer.router.host,
                         matrices = layer.matrices.host, top = layer.top] {
    return reference::mixture_of_experts(*x, *router, *matrices, top);
  };
  torch.verify(layer.chosen, [expected] { return expected().chosen; });
  // Difference (exact), exponential, sum of `top`, quotient.
  torch.verify(
      layer.weights, [expected] { return expected().weights; }, layer.top + 2);
  // In f32: the weight, the product with it, the sum of `top` (dense: with zeros, exact); then one
  // rounding to the dtype.
  torch.verify(
      layer.out, [expected] { return expected().out; },
      layer.out.dtype() == f32 ? 2 * layer.top + 3 : 1);
}

}  // namespace

void register_moe_routing(BenchRegistry& registry) {
  Bench bench{"moe-routing",
              "Mixture of experts: router, the best experts of each token, products of gathered "
              "tokens, weighted sum",
              {extent("tokens", "rows of x", 128), extent("width", "columns of x", 128),
               extent("out_width", "columns of the result", 128),
               extent("experts", "experts, each with a matrix; distributed over the PEs", 8),
               Parameter::integer("top", "experts for each token; at most the number of experts",
                                  "", "spec 10.3")
                   .default_val(2)
                   .range("1", "64"),
               float_dtype("element type of x, router, matrices and the result"),
               shared_by_pes("tokens and the experts"),
               choice("form",
                      "blocks: tokens are gathered and scattered by computed indices; detour: "
                      "copied row by row; dense: every expert for every token",
                      {"blocks", "detour", "dense"})},
              &run,
              &first_cubes};
  bench.needs_data = DataMode::eager;
  registry.add(std::move(bench));
}

}  // namespace kernbench::benches
