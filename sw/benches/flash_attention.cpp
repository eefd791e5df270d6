// flash-attention: softmax(q k^T / sqrt(d)) v of every head, causal or not, without the matrix of
// scores (Dao 2023, arXiv:2307.08691; Triton's 06-fused-attention). A head is d columns of
// q, k, v, out{tokens, heads * d}.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/online_softmax.h"
#include "sw/benches/reference.h"
#include "sw/tl/program.h"

namespace kernbench::benches {
namespace {

// --- on each PE

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// `block_m` queries of one head: the first of them, and the first column of the head.
struct Task {
  std::int64_t row, column;
};

// Of the PE that runs: it takes turns with the others of the launch. Tasks at the end of the
// sequence go first: if causal they take longest.
std::vector<Task> tasks_of(const tl::Program& tl, std::int64_t tokens, std::int64_t width,
                           std::int64_t block_m, std::int64_t d) {
  const std::int64_t blocks = tl::Program::cdiv(tokens, block_m), heads = width / d;
  std::vector<Task> tasks;
  for (std::int64_t i = tl.program_id(0); i < blocks * heads; i += tl.launch_num(0))
    tasks.push_back({(blocks - 1 - i / heads) * block_m, i % heads * d});
  return tasks;
}

// Scores s{queries, keys} of keys that a query does not see become minus infinity.
tl::Handle masked(tl::Program& tl, const tl::Handle& s, std::int64_t row, std::int64_t key,
                  std::int64_t tokens, bool causal) {
  const tl::Handle keys = tl.arange(key, key + s.shape()[1]);
  const tl::Handle queries = tl.expand_dims(tl.arange(row, row + s.shape()[0]), 1);
  return tl.where(causal ? keys <= queries : keys < tokens, s, minus_infinity);
}

// The loads of the next block of keys and values go on beside the work on this one. At the ends of
// the tensors descriptors load zeros, and store nothing.
void flash_attention(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v, tl::Tensor out,
                     std::int64_t d, std::int64_t block_m, std::int64_t block_n, bool causal) {
  const tl::Overlap overlap(tl);
  const std::int64_t tokens = q.shape()[0], width = q.shape()[1];
  const auto blocks_of = [&](const tl::Tensor& x, std::int64_t rows) {
    return tl.make_tensor_descriptor(x, {tokens, width}, {width, 1}, {rows, d});
  };
  const auto queries = blocks_of(q, block_m), result = blocks_of(out, block_m);
  const auto keys = blocks_of(k, block_n), values = blocks_of(v, block_n);
  for (const auto& [row, column] : tasks_of(tl, tokens, width, block_m, d)) {
    const std::int64_t end = causal ? std::min(tokens, row + block_m) : tokens;
    const tl::Handle q_block = queries.load_async({row, column});
    tl::Handle next_k = keys.load_async({0, column}), next_v = values.load_async({0, column});
    auto sums = OnlineSoftmax::of_none(tl, {block_m, 1}, {block_m, d});
    for (std::int64_t key = 0; key < end; key += block_n) {
      const tl::Handle k_block = next_k, v_block = next_v;
      if (key + block_n < end) {
        next_k = keys.load_async({key + block_n, column});
        next_v = values.load_async({key + block_n, column});
      }
      tl::Handle s = tl.dot(q_block, tl.trans(k_block), f32);
      const std::int64_t seen_by_all = causal ? row + 1 : tokens;
      if (key + block_n > seen_by_all) s = masked(tl, s, row, key, tokens, causal);
      const tl::Handle p = sums.weigh(tl, s, softmax_scale(d), v.dtype());
      sums.acc = tl.dot(p, v_block, std::move(sums.acc));
    }
    result.store_async({row, column}, tl.cast(sums.mean(), out.dtype()));
  }
  tl.wait();
}

// The same with dense accesses, one after the other: rows of all heads are loaded to get those of
// one, sums go through PE_MATH, and every row of the result is a store.
void flash_attention_dense(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v,
                           tl::Tensor out, std::int64_t d, std::int64_t block_m,
                           std::int64_t block_n, bool causal) {
  const std::int64_t tokens = q.shape()[0], width = q.shape()[1];
  const auto size = static_cast<std::int64_t>(size_of(q.dtype()));
  const auto load = [&](const tl::Tensor& x, std::int64_t row, std::int64_t rows,
                        std::int64_t column) {
    const tl::Handle all = tl.load(x + row * width * size, {rows, width}, x.dtype());
    return tl.slice(all, 1, column, column + d);
  };
  for (const auto& [row, column] : tasks_of(tl, tokens, width, block_m, d)) {
    const std::int64_t rows = std::min(block_m, tokens - row), end = causal ? row + rows : tokens;
    const tl::Handle q_block = load(q, row, rows, column);
    auto sums = OnlineSoftmax::of_none(tl, {rows, 1}, {rows, d});
    for (std::int64_t key = 0; key < end; key += block_n) {
      const std::int64_t count = std::min(block_n, end - key);
      tl::Handle s = tl.dot(q_block, tl.trans(load(k, key, count, column)), f32);
      if (causal && key + count > row + 1) s = masked(tl, s, row, key, tokens, causal);
      const tl::Handle p = sums.weigh(tl, s, softmax_scale(d), v.dtype());
      sums.acc = sums.acc + tl.dot(p, load(v, key, count, column), f32);
    }
    const tl::Handle block = tl.cast(sums.mean(), out.dtype());
    for (std::int64_t i = 0; i < rows; ++i)
      tl.store(out + ((row + i) * width + column) * size, tl.slice(block, i, i + 1));
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
  const Input k = random_input(torch, shape, dtype, rows_over(pes), "k");
  const Input v = random_input(torch, shape, dtype, rows_over(pes), "v");
  const Tensor out = torch.empty(shape, dtype, rows_over(pes), "out");
  const auto kernel = given.text("form") == "blocks" ? &flash_attention : &flash_attention_dense;
  torch.launch(launch_on_first("flash_attention", pes), kernel, q.tensor, k.tensor, v.tensor, out,
               d, block_m, block_n, causal);
  torch.verify(
      out,
      [q = q.host, k = k.host, v = v.host, d, causal] { return attention(*q, *k, *v, d, causal); },
      attention_roundings(dtype, d, magnitude, tl::Program::cdiv(tokens, block_n)));
}

}  // namespace

void register_flash_attention(BenchRegistry& registry) {
  registry.add(
      {"flash-attention",
       "Attention with online softmax, causal or not: blocks of queries and heads over "
       "the PEs of a cube",
       {extent("tokens", "of the sequence", 256), extent("heads", "of q, k and v", 4),
        extent("d_head", "columns of a head", 64),
        Parameter::boolean("causal", "a token sees itself and those before it", "spec 10.3")
            .default_val(true),
        extent("block_m", "queries of a block", 64), extent("block_n", "keys of a block", 64),
        magnitude_of_queries(), float_dtype("of all tensors"), shared_by_pes("tokens"),
        Parameter::choice("form",
                          "blocks: heads by descriptors, loads beside the work; detour: "
                          "dense accesses one after the other",
                          {"blocks", "detour"}, "assumption")
            .default_val("blocks")},
       &run});
}

}  // namespace kernbench::benches
