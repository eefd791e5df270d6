// Paged cache of keys and values of a batch of sequences, over the PEs of a SIP, and attention to
// it, as vLLM's PagedAttention (Kwon et al., arXiv:2309.06180).
//
//   KvCache cache = make_kv_cache(torch, {blocks, block_tokens, kv_heads, d}, f16, grid);
//   write_block_tables(torch, batch, cache.shape, grid);  // each iteration
//   append(torch, batch, keys, 0, values, 0, cache);      // new tokens of each sequence
//   attend(torch, batch, group, q, cache, out, grid);
//
// The tokens of a batch are the new ones of its first sequence, then of the second, and so on: rows
// of q, keys, values and out. Position p of a sequence is in its block p / block_tokens.
//
// Block tables. The host writes those of a batch to device memory by a copy that takes its time, as
// a server does in each iteration; caches of all layers share them. The host knows which PE has
// which blocks and plans from its own copy which PE works on which sequences, heads and positions.
// The kernels load the entries of these positions, and PE_CPU computes the addresses of keys and
// values from what it has read: one access by DMA for the rows of a step, whose consecutive blocks
// are one run of bytes (spec 2.6), so that a table of consecutive blocks costs a dense access. With
// data off memory has no values: the loads are issued and waited for all the same, and the
// addresses are those of the host's copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// Sequence in a batch: its last `new_tokens` of `context` tokens are in the batch. `blocks`:
// physical blocks by position / block_tokens; those after the context are ignored.
struct SequenceStep {
  std::int64_t new_tokens = 1, context = 1;
  std::vector<std::uint32_t> blocks = {};
};

struct TokenBatch {
  std::vector<SequenceStep> sequences = {};
  // i32{sequences, most blocks of a context}, of write_block_tables(): `blocks` in device memory.
  Tensor block_tables = {};

  std::int64_t tokens() const;
  std::int64_t first_row(std::size_t sequence) const;  // row of its first new token
  std::vector<std::int64_t> positions() const;         // position of each token in its sequence
};

struct CacheShape {
  std::int64_t blocks = 1, block_tokens = 1, kv_heads = 1, d = 64;

  std::int64_t rows() const { return blocks * kv_heads * block_tokens; }
  // Row of a position in a block of a head.
  std::int64_t row(std::int64_t block, std::int64_t head, std::int64_t position) const {
    return (block * kv_heads + head) * block_tokens + position;
  }
  // Blocks of a sequence of `tokens`.
  std::int64_t blocks_of(std::int64_t tokens) const {
    return (tokens + block_tokens - 1) / block_tokens;
  }
};

// k and v{rows, d}: the rows of a head in a block are consecutive. Cut over the PEs: each has whole
// blocks if their number is a multiple of that of the PEs.
struct KvCache {
  CacheShape shape;
  Tensor k, v;
};

// Allocates a cache, without values.
KvCache make_kv_cache(Torch& torch, const CacheShape& shape, DType dtype, const PeGrid& grid);

// The contiguous cache: sequence i of n has the blocks / n consecutive blocks from i * (blocks / n)
// on. The tables on the device are not written.
void assign_consecutive_blocks(TokenBatch& batch, const CacheShape& shape);

// UsageError, with the numbers: a sequence without new tokens or longer than its block table; a
// block outside the cache; a block with new tokens that is in another place of a table, too. Blocks
// that are only read may be shared.
void check_batch(const std::string& op, const TokenBatch& batch, const CacheShape& cache);

// Writes the block tables to device memory: a copy in each cube of the grid, whose rows are over
// its PEs. UsageError as check_batch().
void write_block_tables(Torch& torch, TokenBatch& batch, const CacheShape& cache,
                        const PeGrid& grid);

// Writes the keys and values of the new tokens to the cache: kv_heads heads of d columns, from
// `k_column` of `keys` and `v_column` of `values` on. Each PE copies what belongs to its rows of
// the cache. Returns when the kernel has ended. UsageError as check_batch(), for block tables that
// have not been written, or for shapes or dtypes that do not fit.
void append(Torch& torch, const TokenBatch& batch, const Tensor& keys, std::int64_t k_column,
            const Tensor& values, std::int64_t v_column, const KvCache& cache);

// Causal attention with grouped heads: out{tokens, kv_heads * group * d} =
// softmax(q k^T / sqrt(d)) v for kv_heads * group query heads in the first columns of q, of which
// each `group` share a KV head of the cache, to which the new tokens have been appended.
//
// A sequence with one new token: each PE attends to the keys that it has, as flash-decoding does;
// a second launch, with the same operator name, merges the partial results. Other sequences: groups
// of tokens are distributed over the PEs, which read all visible keys. Returns when both have
// ended. `q` has any placement, `out` whole rows. UsageError as append().
void attend(Torch& torch, const TokenBatch& batch, std::int64_t group, const Tensor& q,
            const KvCache& cache, const Tensor& out, const PeGrid& grid);

}  // namespace kernbench::ops
