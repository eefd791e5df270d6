// Host side of attention over a ring: checks, sizes of tiles, rings, launch.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/base/errors.h"
#include "sw/ops/attention.h"

namespace kernbench::ops {
namespace {

constexpr std::int64_t rows_wanted = 128;  // rows of queries in a tile
constexpr std::int64_t keys_wanted = 32;   // with fewer keys a tile has fewer heads or queries
constexpr std::uint32_t ring_slots = 2;    // a tile of keys and one of values
constexpr std::uint64_t directions = 2;

std::int64_t most(const RingAttention& of, Positions AttentionRank::*part) {
  std::int64_t most = 0;
  for (const AttentionRank& rank : of.ranks) most = std::max(most, (rank.*part).count);
  return most;
}

std::uint64_t bytes(std::int64_t elements, std::uint64_t size) {
  return static_cast<std::uint64_t>(elements) * size;
}

// Largest message of a ring, in whole bursts.
std::uint64_t message_bytes(const RingAttention& of, const AttentionTile& tile, DType dtype) {
  constexpr std::uint64_t burst = 256;
  const std::uint64_t message =
      of.travels == Travels::keys
          ? bytes(tile.kv_heads * tile.keys * of.heads.d, size_of(dtype))
          : bytes(tile.kv_heads * tile.queries * of.heads.group() * (of.heads.d + 2), 4);
  return (message + burst - 1) / burst * burst;
}

void check_heads(const GroupedHeads& heads) {
  const auto& [q_heads, kv_heads, d] = heads;
  if (q_heads < 1 || kv_heads < 1 || d < 1) {
    throw UsageError(
        fmt::format("attention: {} query heads, {} heads of keys, d {}: at least 1 each", q_heads,
                    kv_heads, d));
  }
  if (q_heads % kv_heads != 0) {
    throw UsageError(fmt::format("attention: {} query heads do not share {} heads of keys evenly",
                                 q_heads, kv_heads));
  }
}

void check(const RingAttention& of) {
  check_heads(of.heads);
  std::int64_t first_key = -1, first_query = -1;
  std::set<PeId> pes;
  for (const AttentionRank& rank : of.ranks) {
    if (!pes.insert(rank.pe).second)
      throw UsageError(fmt::format("attention: {} is in the ring twice", rank.pe.str()));
    const Positions &queries = rank.queries, &keys = rank.keys;
    if (queries.count < 0 || keys.count < 0) {
      throw UsageError(fmt::format("attention: {} queries and {} keys on {}", queries.count,
                                   keys.count, rank.pe.str()));
    }
    if (keys.count > 0 && (first_key < 0 || keys.first < first_key)) first_key = keys.first;
    if (queries.count > 0 && (first_query < 0 || queries.first < first_query))
      first_query = queries.first;
    const Positions& all = of.ranks.front().queries;
    if (of.travels == Travels::sums && (queries.first != all.first || queries.count != all.count)) {
      throw UsageError(
          fmt::format("attention: sums travel between ranks with the same queries, but {} has {} "
                      "from {} on and {} has {} from {} on",
                      of.ranks.front().pe.str(), all.count, all.first, rank.pe.str(), queries.count,
                      queries.first));
    }
  }
  if (first_key < 0 || first_query < 0)
    throw UsageError("attention: no rank has a query, or none has a key");
  if (of.causal && first_query < first_key) {
    throw UsageError(fmt::format(
        "attention: the query at position {} sees no key: causal, and the first key is at {}",
        first_query, first_key));
  }
}

// Shape of the shard of `pe`; UsageError without one.
Shape shard_of(const Tensor& x, PeId pe) {
  for (const tl::Block& block : x.info()->blocks) {
    if (block.where == pe) return block.shape;
  }
  throw UsageError(fmt::format("attention: tensor '{}' has no shard on {}, which is in the ring",
                               x.name(), pe.str()));
}

void check_queries(const GroupedHeads& heads, std::int64_t count, const Tensor& x, PeId pe) {
  const Shape shard = shard_of(x, pe), expected{count, heads.q_heads * heads.d};
  if (shard == expected) return;
  throw UsageError(
      fmt::format("attention: tensor '{}' has {} on {}, expected is {}: queries, "
                  "query heads times d",
                  x.name(), shard.str(), pe.str(), expected.str()));
}

void check_keys(const GroupedHeads& heads, std::int64_t count, const Tensor& x, PeId pe) {
  const Shape shard = shard_of(x, pe);
  if (shard.rank() == 3 && shard[0] == heads.kv_heads && shard[1] >= count && shard[2] == heads.d)
    return;
  throw UsageError(fmt::format("attention: tensor '{}' has {} on {}, expected is {}, or more keys",
                               x.name(), shard.str(), pe.str(),
                               Shape{heads.kv_heads, count, heads.d}.str()));
}

}  // namespace

std::vector<Positions> split(std::int64_t first, std::int64_t count, int parts) {
  std::vector<Positions> all;
  for (int part = 0; part < parts; ++part) {
    all.push_back({first, count / parts + (part < count % parts ? 1 : 0)});
    first = all.back().end();
  }
  return all;
}

TileMemory memory_of(const MachineDescription& machine) {
  const std::uint64_t rings =
      machine.tcm_bytes - machine.tcm_reserved_bytes - machine.scratch_bytes;
  return {machine.scratch_bytes, rings / (directions * ring_slots)};
}

// Queries of this and of the next pass; keys and values of the tile in softmax, of the one in the
// product and of the next one; four blocks of scores in f32 (next, this one, masked, exponents) and
// two of weights; four blocks of sums (before and after scaling, of the next pass, the mean), and
// the result. The remainder: blocks of a value per query, positions, alignment.
std::uint64_t scratch_bytes(const GroupedHeads& heads, const AttentionTile& tile, DType dtype) {
  const std::uint64_t size = size_of(dtype);
  const std::int64_t rows = tile.kv_heads * tile.queries * heads.group();
  const std::uint64_t queries = 2 * bytes(rows * heads.d, size),
                      keys = 6 * bytes(tile.kv_heads * tile.keys * heads.d, size),
                      scores = bytes(rows * tile.keys, 4 * 4 + 2 * size),
                      sums = bytes(rows * (heads.d + 2), 4 * 4 + size);
  return queries + keys + scores + sums + bytes(12 * rows, 4) +
         bytes((tile.queries + 1) * tile.keys, 5) + 1024;
}

AttentionTile largest_tile(const RingAttention& of, DType dtype, const TileMemory& memory) {
  check(of);
  const std::int64_t queries = most(of, &AttentionRank::queries),
                     keys = most(of, &AttentionRank::keys), group = of.heads.group();
  const auto fits = [&](const AttentionTile& tile) {
    return scratch_bytes(of.heads, tile, dtype) <= memory.scratch_bytes &&
           (of.ranks.size() == 1 || message_bytes(of, tile, dtype) <= memory.message_bytes);
  };
  // Most keys that fit; 0: none. Bytes grow with the keys.
  const auto with_most_keys = [&](AttentionTile tile) {
    std::int64_t low = 0, high = keys;
    while (low < high) {
      tile.keys = low + (high - low + 1) / 2;
      if (fits(tile))
        low = tile.keys;
      else
        high = tile.keys - 1;
    }
    tile.keys = low;
    return tile;
  };
  AttentionTile tile;
  tile.queries = std::clamp<std::int64_t>(rows_wanted / group, 1, queries);
  tile.kv_heads =
      std::clamp<std::int64_t>(rows_wanted / (tile.queries * group), 1, of.heads.kv_heads);
  tile = with_most_keys(tile);
  while (tile.keys < std::min(keys, keys_wanted) && (tile.kv_heads > 1 || tile.queries > 1)) {
    std::int64_t& halved = tile.kv_heads > 1 ? tile.kv_heads : tile.queries;
    halved = (halved + 1) / 2;
    tile = with_most_keys(tile);
  }
  if (tile.keys == 0) {
    tile.keys = 1;
    throw UsageError(fmt::format(
        "attention: one query of {} heads and one key, of d {} in {}, need {} bytes of scratch "
        "(scratch_bytes of pe_cpu: {}) and messages of {} bytes (largest slot of the rings, two "
        "in each direction, in the rest of the TCM: {})",
        group, of.heads.d, name_of(dtype), scratch_bytes(of.heads, tile, dtype),
        memory.scratch_bytes, of.ranks.size() == 1 ? 0 : message_bytes(of, tile, dtype),
        memory.message_bytes));
  }
  // Tiles of about equal length.
  tile.keys = tl::Program::cdiv(keys, tl::Program::cdiv(keys, tile.keys));
  return tile;
}

NeighbourGraph ring_graph(const RingAttention& of) {
  NeighbourGraph graph;
  const std::size_t n = of.ranks.size();
  for (std::size_t rank = 0; n > 1 && rank < n; ++rank) {
    graph.connect(of.ranks[rank].pe, "E", of.ranks[(rank + 1) % n].pe);
    graph.connect(of.ranks[rank].pe, "W", of.ranks[(rank + n - 1) % n].pe);
  }
  return graph;
}

void install_ring(Torch& torch, const RingAttention& of, DType dtype) {
  if (of.ranks.size() < 2) return;
  IpcqSettings rings;
  rings.slot_size = message_bytes(of, of.tile, dtype);
  rings.n_slots = ring_slots;
  torch.ipcq.install(ring_graph(of), rings);
}

LaunchHandle attention(Torch& torch, const RingAttention& of, const Tensor& q, const Tensor& k,
                       const Tensor& v, const Tensor& out) {
  check(of);
  const auto& [kv_heads, queries_of_tile, keys_of_tile] = of.tile;
  if (kv_heads < 1 || queries_of_tile < 1 || keys_of_tile < 1)
    throw UsageError("attention: the tile has no elements; largest_tile() makes one");
  for (const Tensor& x : {k, v, out}) {
    if (x.dtype() != q.dtype() || !is_float(x.dtype())) {
      throw UsageError(fmt::format("attention: '{}' is {} and '{}' {}, expected is one float dtype",
                                   q.name(), name_of(q.dtype()), x.name(), name_of(x.dtype())));
    }
  }
  const int device = torch.ahbm.current_device();
  std::vector<int> pes;
  for (const AttentionRank& rank : of.ranks) {
    if (rank.pe.sip != this_device && rank.pe.sip != device) continue;
    pes.push_back(rank.pe.pe);
    const PeId pe{device, rank.pe.cube, rank.pe.pe};
    for (const Tensor& x : {q, out}) {
      if (rank.queries.count > 0) check_queries(of.heads, rank.queries.count, x, pe);
    }
    for (const Tensor& x : {k, v}) {
      if (rank.keys.count > 0) check_keys(of.heads, rank.keys.count, x, pe);
    }
  }
  return torch.launch(
      LaunchSpec("attention").on_pes(pes),
      [of](tl::Program& tl, tl::Tensor queries, tl::Tensor keys, tl::Tensor values,
           tl::Tensor result) { ring_attention(tl, of, queries, keys, values, result); },
      q, k, v, out);
}

}  // namespace kernbench::ops
