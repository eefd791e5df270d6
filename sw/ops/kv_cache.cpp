#include "sw/ops/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

constexpr const char* append_name = "kv_append";

// Consecutive tokens of the batch, and the cache row of the first one.
struct Appended {
  std::int64_t token = 0, count = 0, head = 0, cache_row = 0;
};

// Parts of the new tokens that belong to `rows` of the cache, in blocks of at most `block` rows.
std::vector<Appended> appended_to(const Range& rows, const TokenBatch& batch,
                                  const CacheShape& shape, std::int64_t block) {
  std::vector<Appended> parts;
  std::int64_t first_token = 0;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const auto [count, context] = batch.sequences[i];
    for (std::int64_t head = 0; head < shape.kv_heads; ++head) {
      const std::int64_t first = shape.row(static_cast<std::int64_t>(i), head, context - count);
      const Range own{std::max(first, rows.begin), std::min(first + count, rows.end)};
      for (std::int64_t row = own.begin; row < own.end; row += block)
        parts.push_back({first_token + row - first, std::min(block, own.end - row), head, row});
    }
    first_token += count;
  }
  return parts;
}

void append_rows(tl::Program& tl, const TokenBatch& batch, const CacheShape& shape,
                 std::int64_t block, const tl::Tensor& keys, std::int64_t k_column,
                 const tl::Tensor& values, std::int64_t v_column, const tl::Tensor& k,
                 const tl::Tensor& v) {
  if (!k.has_local()) return;
  const PlacedMatrix from_keys(tl, keys), from_values(tl, values), k_rows(tl, k), v_rows(tl, v);
  for (const Appended& part : appended_to(local_rows(k), batch, shape, block)) {
    const Range tokens{part.token, part.token + part.count},
        rows{part.cache_row, part.cache_row + part.count};
    const auto load = [&](const PlacedMatrix& from, std::int64_t column) {
      const std::int64_t first = column + part.head * shape.d;
      return from.load_async(tokens, {first, first + shape.d});
    };
    const tl::Handle new_keys = load(from_keys, k_column), new_values = load(from_values, v_column);
    tl.store_async(k_rows.at(rows, {0, shape.d}), new_keys);
    tl.store_async(v_rows.at(rows, {0, shape.d}), new_values);
  }
  tl.wait();
}

}  // namespace

std::int64_t TokenBatch::tokens() const { return first_row(sequences.size()); }

std::int64_t TokenBatch::first_row(std::size_t sequence) const {
  std::int64_t row = 0;
  for (std::size_t i = 0; i < sequence; ++i) row += sequences[i].new_tokens;
  return row;
}

std::vector<std::int64_t> TokenBatch::positions() const {
  std::vector<std::int64_t> all;
  for (const auto& [count, context] : sequences) {
    for (std::int64_t i = context - count; i < context; ++i) all.push_back(i);
  }
  return all;
}

KvCache make_kv_cache(Torch& torch, const CacheShape& shape, DType dtype, const PeGrid& grid) {
  const DPPolicy rows = rows_over(grid, shape.rows());
  const Shape extents{shape.rows(), shape.d};
  return {shape, torch.empty(extents, dtype, rows, "k_cache"),
          torch.empty(extents, dtype, rows, "v_cache")};
}

void check_batch(const std::string& op, const TokenBatch& batch, const CacheShape& cache) {
  if (static_cast<std::int64_t>(batch.sequences.size()) > cache.sequences)
    throw UsageError(fmt::format("{}: {} sequences, but the KV cache has room for {}", op,
                                 batch.sequences.size(), cache.sequences));
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const auto [count, context] = batch.sequences[i];
    if (count < 1 || context < count)
      throw UsageError(
          fmt::format("{}: sequence {} has {} new tokens and a context of {}, "
                      "allowed: at least 1 and at least the new ones",
                      op, i, count, context));
    if (context > cache.capacity)
      throw UsageError(
          fmt::format("{}: sequence {} has {} tokens, but the KV cache has room for "
                      "{} of each sequence",
                      op, i, context, cache.capacity));
  }
}

void append(Torch& torch, const TokenBatch& batch, const Tensor& keys, std::int64_t k_column,
            const Tensor& values, std::int64_t v_column, const KvCache& cache) {
  check_batch(append_name, batch, cache.shape);
  const std::int64_t width = cache.shape.kv_heads * cache.shape.d;
  const std::pair<const Tensor*, std::int64_t> sources[] = {{&keys, k_column}, {&values, v_column}};
  for (const auto& [source, column] : sources) {
    if (source->shape().rank() != 2 || source->shape()[0] != batch.tokens() || column < 0 ||
        source->shape()[1] < column + width || source->dtype() != cache.k.dtype())
      throw UsageError(fmt::format("{}: '{}' is {}{}, expected {}{{{}, at least {}}}", append_name,
                                   source->name(), name_of(source->dtype()), source->shape().str(),
                                   name_of(cache.k.dtype()), batch.tokens(), column + width));
  }
  const auto row = static_cast<std::uint64_t>(cache.shape.d) * size_of(cache.k.dtype());
  // Blocks of keys and values in flight; those stored earlier may still be.
  const std::int64_t block = rows_in(torch.spec().scratch_bytes / 16, row);
  torch.launch(
      append_name,
      [batch, shape = cache.shape, block, k_column, v_column](tl::Program& tl, tl::Tensor from_keys,
                                                              tl::Tensor from_values, tl::Tensor k,
                                                              tl::Tensor v) {
        append_rows(tl, batch, shape, block, from_keys, k_column, from_values, v_column, k, v);
      },
      keys, values, cache.k, cache.v);
}

}  // namespace kernbench::ops
