// Cache of keys and values of a batch of sequences, over the PEs of a SIP, and attention to it.
//
//   KvCache cache = make_kv_cache(torch, {sequences, kv_heads, d, capacity}, f16, grid);
//   append(torch, batch, keys, 0, values, 0, cache);  // new tokens of each sequence
//   attend(torch, batch, group, q, cache, out, grid);
//
// The tokens of a batch are the new ones of its first sequence, then of the second, and so on: rows
// of q, keys, values and out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/ops/operands.h"
#include "sw/ops/placed_matrix.h"
#include "sw/torch/torch.h"

namespace kernbench::ops {

// Sequence in a batch: its last `new_tokens` of `context` tokens are in the batch.
struct SequenceStep {
  std::int64_t new_tokens = 1, context = 1;
};

struct TokenBatch {
  std::vector<SequenceStep> sequences;

  std::int64_t tokens() const;
  std::int64_t first_row(std::size_t sequence) const;  // row of its first new token
  std::vector<std::int64_t> positions() const;         // position of each token in its sequence
};

struct CacheShape {
  std::int64_t sequences = 1, kv_heads = 1, d = 64;
  std::int64_t capacity = 1;  // tokens of a sequence

  std::int64_t rows() const { return sequences * kv_heads * capacity; }
  // Row of a position of a head.
  std::int64_t row(std::int64_t sequence, std::int64_t head, std::int64_t position) const {
    return (sequence * kv_heads + head) * capacity + position;
  }
};

// k and v{rows, d}: the positions of a head are consecutive rows, cut over the PEs.
struct KvCache {
  CacheShape shape;
  Tensor k, v;
};

// Allocates a cache, without values.
KvCache make_kv_cache(Torch& torch, const CacheShape& shape, DType dtype, const PeGrid& grid);

// UsageError, with the numbers: a sequence longer than the cache, or without new tokens; more
// sequences than the cache has.
void check_batch(const std::string& op, const TokenBatch& batch, const CacheShape& cache);

// Writes the keys and values of the new tokens to the cache: kv_heads heads of d columns, from
// `k_column` of `keys` and `v_column` of `values` on. Each PE copies what belongs to its rows of
// the cache. Returns when the kernel has ended. UsageError as check_batch(), or for shapes or
// dtypes that do not fit.
void append(Torch& torch, const TokenBatch& batch, const Tensor& keys, std::int64_t k_column,
            const Tensor& values, std::int64_t v_column, const KvCache& cache);

// Causal attention with grouped heads: out{tokens, kv_heads * group * d} =
// softmax(q k^T / sqrt(d)) v for kv_heads * group query heads in the first columns of q, of which
// each `group` share a KV head of the cache, to which the new tokens have been appended.
//
// A sequence with one new token: each PE attends to the keys that it has, as flash-decoding does;
// a second launch, with the same operator name, merges the partial results. Other sequences: blocks
// of tokens are distributed over the PEs, which read all visible keys. Returns when both have
// ended. `q` has any placement, `out` whole rows. UsageError as append().
void attend(Torch& torch, const TokenBatch& batch, std::int64_t group, const Tensor& q,
            const KvCache& cache, const Tensor& out, const PeGrid& grid);

}  // namespace kernbench::ops
