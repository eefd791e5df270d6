// gqa-decode: attention of one new token of each sequence to all tokens before it, with heads of
// keys and values shared by several heads of queries (Ainslie et al. 2023, arXiv:2305.13245). The
// cache is split over the PEs of a cube along the tokens; their partial results are merged
// (flash-decoding, Dao et al. 2023).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "models/base/errors.h"
#include "sw/benches/bench_registry.h"
#include "sw/benches/inputs.h"
#include "sw/benches/reference.h"
#include "sw/ops/online_softmax.h"
#include "sw/tl/program.h"

namespace kernbench::benches {

using ops::merged, ops::OnlineSoftmax, ops::packed, ops::softmax_scale, ops::unpacked;

namespace {

// q{sequences, query heads * d} is whole on each PE. k and v{tokens, sequences * kv heads * d} are
// cut along the tokens: values of a token are contiguous. A group is one head of keys and values of
// one sequence with the query heads that share it; the sums are {groups, heads, d}.

// --- on each PE: its part of the cache

struct Layout {
  std::int64_t groups, heads, d;  // heads: query heads of a group
};

Layout layout_of(const tl::Tensor& q, const tl::Tensor& k, std::int64_t d) {
  const std::int64_t groups = k.shape()[1] / d;
  return {groups, q.shape().elements() / (groups * d), d};
}

// All groups at once, one block of tokens at a time, while the next block is loaded. A block beyond
// the last token has zeros there, which are masked.
OnlineSoftmax attend(tl::Program& tl, const tl::Tensor& q, const tl::Tensor& k, const tl::Tensor& v,
                     const Layout& of, std::int64_t block_n) {
  const tl::Overlap overlap(tl);
  const std::int64_t tokens = k.local_shape()[0];
  const auto blocks_of = [&](const tl::Tensor& x) {
    return tl.make_tensor_descriptor(x.local(), {tokens, of.groups, of.d},
                                     {of.groups * of.d, of.d, 1}, {block_n, of.groups, of.d});
  };
  const auto keys = blocks_of(k), values = blocks_of(v);
  const tl::Handle queries = tl.load_async(q, {of.groups, of.heads, of.d}, q.dtype());
  tl::Handle next_k = keys.load_async({0, 0, 0}), next_v = values.load_async({0, 0, 0});
  auto sums = OnlineSoftmax::of_none(tl, {of.groups, of.heads, 1}, {of.groups, of.heads, of.d});
  for (std::int64_t token = 0; token < tokens; token += block_n) {
    const tl::Handle k_block = tl.permute(next_k, {1, 2, 0}),
                     v_block = tl.permute(next_v, {1, 0, 2});
    if (token + block_n < tokens) {
      next_k = keys.load_async({token + block_n, 0, 0});
      next_v = values.load_async({token + block_n, 0, 0});
    }
    tl::Handle s = tl.dot(queries, k_block, f32);  // {groups, heads, block_n}
    if (token + block_n > tokens) {
      const tl::Handle exists = tl.arange(token, token + block_n) < tokens;
      s = tl.where(exists, s, -std::numeric_limits<double>::infinity());
    }
    const tl::Handle p = sums.weigh(tl, s, softmax_scale(of.d), v.dtype());
    sums.acc = tl.dot(p, v_block, std::move(sums.acc));
  }
  return sums;
}

// Sequential variant: one group at a time, with products of two axes, blocking loads, and sums by
// PE_MATH. The columns of a group are a slice of dense rows; the sums of all groups are
// concatenated at the end.
OnlineSoftmax attend_by_groups(tl::Program& tl, const tl::Tensor& q, const tl::Tensor& k,
                               const tl::Tensor& v, const Layout& of, std::int64_t block_n) {
  const std::int64_t tokens = k.local_shape()[0], width = of.groups * of.d;
  const tl::Handle queries = tl.load(q, {of.groups * of.heads, of.d}, q.dtype());
  std::vector<OnlineSoftmax> of_group(static_cast<std::size_t>(of.groups),
                                      OnlineSoftmax::of_none(tl, {of.heads, 1}, {of.heads, of.d}));
  for (std::int64_t token = 0; token < tokens; token += block_n) {
    const Shape shape{std::min(block_n, tokens - token), width};
    const std::int64_t offset = token * width * static_cast<std::int64_t>(size_of(k.dtype()));
    const tl::Handle k_rows = tl.load(k.local() + offset, shape, k.dtype()),
                     v_rows = tl.load(v.local() + offset, shape, v.dtype());
    for (std::int64_t group = 0; group < of.groups; ++group) {
      const auto columns_of = [&](const tl::Handle& rows) {
        return tl.slice(rows, 1, group * of.d, (group + 1) * of.d);
      };
      OnlineSoftmax& sums = of_group[static_cast<std::size_t>(group)];
      const tl::Handle heads = tl.slice(queries, group * of.heads, (group + 1) * of.heads);
      const tl::Handle s = tl.dot(heads, tl.trans(columns_of(k_rows)), f32);
      const tl::Handle p = sums.weigh(tl, s, softmax_scale(of.d), v.dtype());
      sums.acc = sums.acc + tl.dot(p, columns_of(v_rows), f32);
    }
  }
  const auto all = [&](tl::Handle OnlineSoftmax::*part, std::int64_t columns) {
    std::vector<tl::Handle> parts;
    for (const OnlineSoftmax& sums : of_group) parts.push_back(sums.*part);
    return tl.reshape(tl.cat(parts), {of.groups, of.heads, columns});
  };
  return {all(&OnlineSoftmax::m, 1), all(&OnlineSoftmax::l, 1), all(&OnlineSoftmax::acc, of.d)};
}

OnlineSoftmax attend_to_part(tl::Program& tl, const tl::Tensor& q, const tl::Tensor& k,
                             const tl::Tensor& v, std::int64_t d, std::int64_t block_n,
                             bool by_groups) {
  return (by_groups ? attend_by_groups : attend)(tl, q, k, v, layout_of(q, k, d), block_n);
}

// --- on each PE: the merge. Sums are sent as one block, {.., d + 2}

std::string from_child(int distance) { return fmt::format("child{}", distance); }

// Merge by messages up a binary tree, whose root, PE 0, stores the result.
void gqa_decode(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v, tl::Tensor out,
                std::int64_t d, std::int64_t block_n, bool by_groups) {
  OnlineSoftmax sums = attend_to_part(tl, q, k, v, d, block_n, by_groups);
  const int pe = tl.program_id(0), pes = tl.num_programs(0);
  const Layout of = layout_of(q, k, d);
  for (int distance = 1; distance < pes; distance *= 2) {
    if (pe % (2 * distance) != 0) return tl.send("parent", packed(tl, sums));
    if (pe + distance >= pes) continue;
    const tl::Handle block = tl.recv(from_child(distance), {of.groups, of.heads, d + 2}, f32);
    sums = merged(tl, sums, unpacked(tl, block));
  }
  tl.store(out, tl.cast(sums.mean(), out.dtype()));
}

// Merge by a second pass over memory: partial{pes, queries * (d + 2)} has a row for each PE.
void gqa_decode_partial(tl::Program& tl, tl::Tensor q, tl::Tensor k, tl::Tensor v,
                        tl::Tensor partial, std::int64_t d, std::int64_t block_n, bool by_groups) {
  tl.store(partial.local(), packed(tl, attend_to_part(tl, q, k, v, d, block_n, by_groups)));
}

// Every PE merges the sums of some of the queries, all parts in one load.
void gqa_merge(tl::Program& tl, tl::Tensor partial, tl::Tensor out, std::int64_t d) {
  const std::int64_t parts = partial.shape()[0], queries = partial.shape()[1] / (d + 2),
                     count = tl::Program::cdiv(queries, tl.num_programs(0)),
                     first = tl.program_id(0) * count;
  if (first >= queries) return;
  const auto all = tl.make_tensor_descriptor(partial, {parts, queries, d + 2},
                                             {queries * (d + 2), d + 2, 1}, {parts, count, d + 2});
  const auto result = tl.make_tensor_descriptor(out, {queries, d}, {d, 1}, {count, d});
  const OnlineSoftmax sums = unpacked(tl, all.load({0, first, 0}));
  const tl::Handle mean = ops::mean_of_all(tl, sums);
  result.store({first, 0}, tl.cast(mean, out.dtype()));
}

// --- on the host

// PE p sends to PE p - `distance`, where `distance` is the largest power of two that divides p.
NeighbourGraph merge_tree(int pes) {
  NeighbourGraph graph;
  for (int distance = 1; distance < pes; distance *= 2) {
    for (int pe = 0; pe + distance < pes; pe += 2 * distance) {
      graph.connect({this_device, 0, pe + distance}, "parent", {this_device, 0, pe});
      graph.connect({this_device, 0, pe}, from_child(distance), {this_device, 0, pe + distance});
    }
  }
  return graph;
}

// Block of k; two of k and two of v in 1 MiB of scratch.
constexpr std::uint64_t block_bytes = 160 * 1024;

struct Decode {
  std::int64_t sequences, tokens, query_heads, kv_heads, d;
};

std::vector<double> attention(const HostArray& q, const HostArray& k, const HostArray& v,
                              const Decode& of) {
  const std::vector<double> queries = q.values(), keys = k.values(), values = v.values();
  const std::int64_t pitch = of.sequences * of.kv_heads * of.d,
                     shared_by = of.query_heads / of.kv_heads;
  std::vector<double> out;
  for (std::int64_t i = 0; i < of.sequences * of.query_heads; ++i) {
    const std::int64_t column = i / shared_by * of.d;  // columns of its group
    const std::vector<double> head =
        reference::attention(queries.data() + i * of.d, keys.data() + column,
                             values.data() + column, of.tokens, pitch, of.d);
    out.insert(out.end(), head.begin(), head.end());
  }
  return out;
}

Decode decode_of(const Attributes& given) {
  const Decode of{given.integer("sequences"), given.integer("tokens"), given.integer("query_heads"),
                  given.integer("kv_heads"), given.integer("d_head")};
  if (of.query_heads % of.kv_heads != 0) {
    throw UsageError(fmt::format("gqa-decode: {} query heads do not share {} heads of keys evenly",
                                 of.query_heads, of.kv_heads));
  }
  return of;
}

// Rings for messages of `elements` f32.
void install_tree(Torch& torch, int pes, std::int64_t elements) {
  if (pes == 1) return;
  IpcqSettings rings;
  rings.slot_size = static_cast<std::uint64_t>(elements) * size_of(f32);
  rings.n_slots = 1;  // each is used once
  torch.ipcq.install(merge_tree(pes), rings);
}

// Tokens of a block: the requested number, limited by the tokens of a PE and by its scratch.
std::int64_t block_tokens(const Attributes& given, const Decode& of, DType dtype, int pes) {
  const auto row_bytes = static_cast<std::uint64_t>(of.sequences * of.kv_heads * of.d);
  const int most =
      rows_within(tl::Program::cdiv(of.tokens, pes), row_bytes * size_of(dtype), block_bytes);
  return std::min<std::int64_t>(given.integer("block_n"), most);
}

void run(Torch& torch) {
  const Attributes& given = torch.parameters();
  const Decode of = decode_of(given);
  const std::int64_t magnitude = given.integer("magnitude");
  const bool by_groups = given.text("form") == "detour",
             by_messages = given.text("merge") == "messages";
  const DType dtype = parse_dtype(given.text("dtype"));
  const int pes = parts(torch, of.tokens), pes_of_out = parts(torch, of.sequences);
  const std::int64_t block_n = block_tokens(given, of, dtype, pes);
  const std::int64_t sums = of.sequences * of.query_heads * (of.d + 2);  // values of a part
  if (by_messages) install_tree(torch, pes, sums);
  const Shape q_shape{of.sequences, of.query_heads * of.d},
      cache_shape{of.tokens, of.sequences * of.kv_heads * of.d};
  const Input q = random_input(torch, q_shape, dtype, copy_on(pes), "q",
                               std::exp2(static_cast<double>(magnitude)));
  const Input k = random_input(torch, cache_shape, dtype, rows_over(pes), "k");
  const Input v = random_input(torch, cache_shape, dtype, rows_over(pes), "v");
  const Tensor out = torch.empty(q_shape, dtype, rows_over(pes_of_out), "out");
  const LaunchSpec decode = launch_on_first("gqa_decode", pes);
  if (by_messages) {
    torch.launch(decode, gqa_decode, q.tensor, k.tensor, v.tensor, out, of.d, block_n, by_groups);
  } else {
    const Tensor partial = torch.empty({pes, sums}, f32, rows_over(pes), "partial");
    torch.launch(decode, gqa_decode_partial, q.tensor, k.tensor, v.tensor, partial, of.d, block_n,
                 by_groups);
    torch.launch(launch_on_first("gqa_merge", pes), gqa_merge, partial, out, of.d);
  }
  const std::int64_t blocks = tl::Program::cdiv(tl::Program::cdiv(of.tokens, pes), block_n);
  torch.verify(
      out, [q = q.host, k = k.host, v = v.host, of] { return attention(*q, *k, *v, of); },
      reference::attention_roundings(dtype, of.d, magnitude, blocks, pes));
}

}  // namespace

void register_gqa_decode(BenchRegistry& registry) {
  registry.add(
      {"gqa-decode",
       "Attention of one new token of each sequence to a cache of keys and values that is split "
       "over the PEs of a cube; grouped query heads",
       {extent("sequences", "sequences, each with one query token", 4),
        extent("tokens", "tokens of each sequence in the cache", 1024),
        extent("query_heads", "query heads of a sequence", 8),
        extent("kv_heads", "heads of keys and values; the query heads share them", 2),
        extent("d_head", "columns of a head", 64),
        extent("block_n", "tokens of a block; fewer if they do not fit", 64),
        magnitude_of_queries(), float_dtype("element type of all tensors"), shared_by_pes("tokens"),
        choice("merge",
               "merge of the parts: messages up a tree of PEs, or a second launch that reads "
               "them from memory",
               {"messages", "pass"}, "assumption"),
        choice("form",
               "blocks: all heads in one product, loads concurrent with computation; detour: "
               "sequential heads, sequential dense accesses",
               {"blocks", "detour"}, "assumption")},
       &run,
       &first_cubes});
}

}  // namespace kernbench::benches
