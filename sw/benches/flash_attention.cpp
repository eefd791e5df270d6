// flash-attention: softmax(q k^T / sqrt(d)) v of every head, causal or not, without the matrix of
// scores (Dao 2023, arXiv:2307.08691; Triton's 06-fused-attention). A head is d columns of
// q, k, v, out{tokens, heads * d}.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/ops/online_softmax.h"
#include "sw/tl/program.h"

namespace kernbench::benches {

using ops::OnlineSoftmax, ops::softmax_scale;

namespace {

// --- on each PE

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Step of the kernel: a block of keys for a block of queries of one head.
struct Step {
  std::int64_t row, column;  // first query, and first column of the head
  std::int64_t key;          // first key
  bool first, last;          // first, last block of keys for these queries
};

struct Blocking {
  std::int64_t tokens, width, d;  // d: columns of a head
  std::int64_t block_m, block_n;  // queries, keys
  bool causal;
};

// Steps of the running PE. Blocks of queries are distributed over the PEs of the launch from the
// end of the sequence, where causal blocks take longest, with alternating order in each round: all
// PEs have about the same work.
std::vector<Step> steps_of(const tl::Program& tl, const Blocking& by) {
  const std::int64_t heads = by.width / by.d,
                     blocks = heads * tl::Program::cdiv(by.tokens, by.block_m),
                     pe = tl.program_id(0), pes = tl.num_programs(0);
  std::vector<Step> steps;
  for (std::int64_t round = 0; round * pes < blocks; ++round) {
    const std::int64_t left = blocks - 1 - round * pes - (round % 2 == 0 ? pe : pes - 1 - pe);
    if (left < 0) continue;
    const std::int64_t row = left / heads * by.block_m, column = left % heads * by.d,
                       end = by.causal ? std::min(by.tokens, row + by.block_m) : by.tokens;
    for (std::int64_t key = 0; key < end; key += by.block_n)
      steps.push_back({row, column, key, key == 0, key + by.block_n >= end});
  }
  return steps;
}

// Replaces scores of keys that a query does not see by minus infinity.
tl::Handle masked(tl::Program& tl, const tl::Handle& s, const Step& step, const Blocking& by) {
  const std::int64_t rows = s.shape()[0], columns = s.shape()[1];
  // All queries see all keys.
  if (step.key + columns <= (by.causal ? step.row + 1 : by.tokens)) return s;
  const tl::Handle keys = tl.arange(step.key, step.key + columns);
  const tl::Handle queries = tl.expand_dims(tl.arange(step.row, step.row + rows), 1);
  return tl.where(by.causal ? keys <= queries : keys < by.tokens, s, minus_infinity);
}

// The operands of the next step are loaded concurrently with the current one, also across blocks of
// queries. Beyond the ends of the tensors, descriptors load zeros and store nothing. k and v are
// whole on each PE, because all PEs begin with the same keys, which would otherwise load one HBM
// partition.
void flash_attention(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v, tl::Tensor out,
                     std::int64_t d, std::int64_t block_m, std::int64_t block_n, bool causal) {
  const tl::Overlap overlap(tl);
  const Blocking by{q.shape()[0], q.shape()[1], d, block_m, block_n, causal};
  const auto blocks_of = [&](const tl::Tensor& x, std::int64_t rows) {
    return tl.make_tensor_descriptor(x, {by.tokens, by.width}, {by.width, 1}, {rows, d});
  };
  const auto queries = blocks_of(q, block_m), result = blocks_of(out, block_m);
  const auto keys = blocks_of(k, block_n), values = blocks_of(v, block_n);
  const std::vector<Step> steps = steps_of(tl, by);
  tl::Handle next_q, next_k, next_v;
  const auto load = [&](const Step& step) {
    if (step.first) next_q = queries.load_async({step.row, step.column});
    next_k = keys.load_async({step.key, step.column});
    next_v = values.load_async({step.key, step.column});
  };
  if (!steps.empty()) load(steps.front());
  OnlineSoftmax sums;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const tl::Handle q_block = next_q, k_block = next_k, v_block = next_v;
    if (i + 1 < steps.size()) load(steps[i + 1]);
    if (step.first) sums = OnlineSoftmax::of_none(tl, {block_m, 1}, {block_m, d});
    const tl::Handle s = masked(tl, tl.dot(q_block, tl.trans(k_block), f32), step, by);
    const tl::Handle p = sums.weigh(tl, s, softmax_scale(d), v.dtype());
    sums.acc = tl.dot(p, v_block, std::move(sums.acc));
    if (step.last) result.store_async({step.row, step.column}, tl.cast(sums.mean(), out.dtype()));
  }
  tl.wait();
}

// Variant with dense sequential accesses: rows of all heads are loaded to access one head, PE_MATH
// adds the sums, and every row of the result is a store.
void flash_attention_dense(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v,
                           tl::Tensor out, std::int64_t d, std::int64_t block_m,
                           std::int64_t block_n, bool causal) {
  const Blocking by{q.shape()[0], q.shape()[1], d, block_m, block_n, causal};
  const auto row_bytes = by.width * static_cast<std::int64_t>(size_of(q.dtype()));
  const auto load = [&](const tl::Tensor& x, std::int64_t row, std::int64_t rows,
                        std::int64_t column) {
    const Shape shape{std::min(rows, by.tokens - row), by.width};
    const tl::Handle all_heads = tl.load(x + row * row_bytes, shape, x.dtype());
    return tl.slice(all_heads, 1, column, column + d);
  };
  tl::Handle q_block;
  OnlineSoftmax sums;
  for (const Step& step : steps_of(tl, by)) {
    if (step.first) {
      q_block = load(q, step.row, block_m, step.column);
      const std::int64_t rows = q_block.shape()[0];
      sums = OnlineSoftmax::of_none(tl, {rows, 1}, {rows, d});
    }
    const tl::Handle k_block = load(k, step.key, block_n, step.column);
    const tl::Handle s = masked(tl, tl.dot(q_block, tl.trans(k_block), f32), step, by);
    const tl::Handle p = sums.weigh(tl, s, softmax_scale(d), v.dtype());
    sums.acc = sums.acc + tl.dot(p, load(v, step.key, block_n, step.column), f32);
    if (!step.last) continue;
    const tl::Handle block = tl.cast(sums.mean(), out.dtype());
    const auto first = step.column * static_cast<std::int64_t>(size_of(out.dtype()));
    for (std::int64_t i = 0; i < block.shape()[0]; ++i)
      tl.store(out + (step.row + i) * row_bytes + first, tl.slice(block, i, i + 1));
  }
}

// --- on the host

std::vector<double> attention(const HostArray& q, const HostArray& k, const HostArray& v,
                              std::int64_t d, bool causal) {
  const std::int64_t tokens = q.shape()[0], width = q.shape()[1];
  const std::vector<double> queries = q.values(), keys = k.values(), values = v.values();
  std::vector<double> out;
  for (std::int64_t row = 0; row < tokens; ++row) {
    for (std::int64_t column = 0; column < width; column += d) {
      const std::vector<double> head =
          reference::attention(queries.data() + row * width + column, keys.data() + column,
                               values.data() + column, causal ? row + 1 : tokens, width, d);
      out.insert(out.end(), head.begin(), head.end());
    }
  }
  return out;
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const std::int64_t tokens = given.integer("tokens"), d = given.integer("d_head"),
                     width = given.integer("heads") * d, block_m = given.integer("block_m"),
                     block_n = given.integer("block_n"), magnitude = given.integer("magnitude");
  const bool causal = given.flag("causal");
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, tokens);
  const Shape shape{tokens, width};
  const Input q = random_input(torch, shape, dtype, rows_over(pes), "q",
                               std::exp2(static_cast<double>(magnitude)));
  const Input k = random_input(torch, shape, dtype, copy_on(pes), "k");
  const Input v = random_input(torch, shape, dtype, copy_on(pes), "v");
  const Tensor out = torch.empty(shape, dtype, rows_over(pes), "out");
  const auto kernel = given.text("form") == "blocks" ? &flash_attention : &flash_attention_dense;
  torch.launch(launch_on_first("flash_attention", pes), kernel, q.tensor, k.tensor, v.tensor, out,
               d, block_m, block_n, causal);
  torch.verify(
      out,
      [q = q.host, k = k.host, v = v.host, d, causal] { return attention(*q, *k, *v, d, causal); },
      reference::attention_roundings(dtype, d, magnitude, tl::Program::cdiv(tokens, block_n)));
}

}  // namespace

void register_flash_attention(BenchRegistry& registry) {
  registry.add(
      {"flash-attention",
       "Attention with online softmax, causal or not: blocks of queries and heads over "
       "the PEs of a cube",
       {extent("tokens", "tokens of the sequence", 256), extent("heads", "heads of q, k and v", 4),
        extent("d_head", "columns of a head", 64),
        Parameter::boolean("causal", "a token attends to itself and to previous tokens",
                           "spec 10.3")
            .default_val(true),
        extent("block_m", "queries in a block", 64), extent("block_n", "keys in a block", 64),
        magnitude_of_queries(), float_dtype("element type of all tensors"), shared_by_pes("tokens"),
        choice("form",
               "blocks: heads by descriptors, loads concurrent with computation; detour: "
               "sequential dense accesses",
               {"blocks", "detour"}, "assumption")},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
