// Attention with grouped heads, softmax(q k^T / sqrt(d)) v, over a ring of PEs that share the keys
// and values: PEs of a cube, of several cubes or of several SIPs.
//
//   RingAttention decode{Travels::sums, {64, 8, 128}, true, ranks, {}};
//   decode.tile = ops::largest_tile(decode, f16, ops::memory_of(torch.spec()));
//   ops::install_ring(torch, decode, f16);
//   ops::attention(torch, decode, q, k, v, out);
//
// Travels::keys (prefill; Liu et al., arXiv:2310.01889): each rank has queries of its own. Tiles of
// keys and values travel once around the ring for each tile of queries, n - 1 sends of each tile,
// and every rank adds them to its sums.
// Travels::sums (decode; Dao et al. 2023, flash-decoding): all ranks have the same queries, each
// attends to its own keys. Each partial result (m, l, o) travels around the ring in n - 1 sends and
// every rank merges all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "sw/collectives/neighbour_graph.h"
#include "sw/tl/program.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// Query heads share the heads of keys and values evenly: query head h uses head h / group().
struct GroupedHeads {
  std::int64_t q_heads = 1, kv_heads = 1, d = 64;
  std::int64_t group() const { return q_heads / kv_heads; }
};

// Consecutive positions of a sequence.
struct Positions {
  std::int64_t first = 0, count = 0;
  std::int64_t end() const { return first + count; }
};

// PE of the ring and its part: the queries in the rows of its q, the keys in the first `count` rows
// of each head of its k and v. Parts may be empty and are in any order.
struct AttentionRank {
  PeId pe;  // sip: a number, or this_device
  Positions queries, keys;
};

// Operands that a PE holds at once: heads of keys, tokens of queries and of keys.
struct AttentionTile {
  std::int64_t kv_heads = 0, queries = 0, keys = 0;
};

enum class Travels : std::uint8_t { keys, sums };

struct RingAttention {
  Travels travels = Travels::keys;
  GroupedHeads heads;
  bool causal = true;                // a query sees the keys up to its own position
  std::vector<AttentionRank> ranks;  // in the order of the ring; sums: with equal queries
  AttentionTile tile;
};

// Memory that tiles have to fit.
struct TileMemory {
  std::uint64_t scratch_bytes = 0;  // scratch of a kernel
  std::uint64_t message_bytes = 0;  // largest slot of a ring
};

// `count` positions from `first` in `parts` parts that differ by one at most, the longer ones
// first, as DPPolicy cuts an axis.
std::vector<Positions> split(std::int64_t first, std::int64_t count, int parts);

// --- on the host

// Slots of the rings in TCM: the rest of the TCM has to hold those of both directions.
TileMemory memory_of(const MachineDescription& machine);

// Tile of up to 128 rows of queries and as many keys as fit: fewer rows repeat the traffic of keys,
// more leave room for fewer keys, so that sums are scaled more often. `of.tile` has no effect.
// UsageError, with numbers: heads that do not share evenly, no ranks, queries without a key to see,
// a tile of one query and one key that does not fit.
AttentionTile largest_tile(const RingAttention& of, DType dtype, const TileMemory& memory);
// Scratch of a PE that attends in such tiles, at most.
std::uint64_t scratch_bytes(const GroupedHeads& heads, const AttentionTile& tile, DType dtype);

// Installs queue pairs E and W between the ranks, with slots for the largest message; nothing for
// one rank. The graph alone: ring_graph().
void install_ring(Torch& torch, const RingAttention& of, DType dtype);
NeighbourGraph ring_graph(const RingAttention& of);

// Runs attention on the ranks of the current device, which all have a shard of q, and waits; ranks
// on other devices run it concurrently. Shards of a rank:
//   q, out  {queries.count, q_heads * d}; of Travels::sums each rank computes all of `out`
//   k, v    {kv_heads, at least keys.count, d}
// Dtypes are equal, f16, bf16 or f32. UsageError, with tensor and PE, for other shards or dtypes.
LaunchHandle attention(Torch& torch, const RingAttention& of, const Tensor& q, const Tensor& k,
                       const Tensor& v, const Tensor& out);

// --- on each PE

// The kernel. A PE that is not in the ring does nothing.
void ring_attention(tl::Program& tl, const RingAttention& of, const tl::Tensor& q,
                    const tl::Tensor& k, const tl::Tensor& v, const tl::Tensor& out);

}  // namespace kernbench::ops
