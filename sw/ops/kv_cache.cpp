#include "sw/ops/kv_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "models/base/errors.h"
#include "sw/ops/block_table.h"

namespace kernbench::ops {
namespace {

constexpr const char* append_name = "kv_append";

// Consecutive new tokens of a sequence that are in the same PE's rows of a head.
struct Appended {
  std::int64_t token = 0;  // first one in the batch
  std::size_t sequence = 0;
  std::int64_t head = 0;
  Range positions;
};

struct AppendPlan {
  CacheShape cache;
  HostTables without_data;
  std::map<PeId, std::vector<Appended>> parts;
};

// Parts have at most `most` tokens.
AppendPlan append_plan(const Torch& torch, const TokenBatch& batch, const KvCache& cache,
                       std::int64_t most) {
  AppendPlan plan{cache.shape, values_without_data(torch, batch), {}};
  const CacheOwners owners(cache);
  std::int64_t first_token = 0;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const SequenceStep& sequence = batch.sequences[i];
    const Range added{sequence.context - sequence.new_tokens, sequence.context};
    for (std::int64_t head = 0; head < cache.shape.kv_heads; ++head) {
      for (const auto& [pe, ranges] : owners.parts(sequence, head, added)) {
        for (const Range& range : ranges) {
          for (std::int64_t begin = range.begin; begin < range.end; begin += most)
            plan.parts[pe].push_back({first_token + begin - added.begin,
                                      i,
                                      head,
                                      {begin, std::min(range.end, begin + most)}});
        }
      }
    }
    first_token += sequence.new_tokens;
  }
  return plan;
}

void append_rows(tl::Program& tl, const AppendPlan& plan, const tl::Tensor& keys,
                 std::int64_t k_column, const tl::Tensor& values, std::int64_t v_column,
                 const tl::Tensor& k, const tl::Tensor& v, const tl::Tensor& tables) {
  const auto own = plan.parts.find(tl.pe_id());
  if (own == plan.parts.end()) return;
  const std::int64_t d = plan.cache.d;
  const PlacedMatrix from_keys(tl, keys), from_values(tl, values);
  const auto rows_of = [&](const tl::Tensor& cache) {
    return tl.make_tensor_descriptor(cache, {plan.cache.rows(), d}, {d, 1}, {1, d});
  };
  const tl::TensorDescriptor k_rows = rows_of(k), v_rows = rows_of(v);
  const TableReader reader(tl, tables, plan.cache, plan.without_data);
  TableReader::Entries entries;
  for (const Appended& part : own->second) {
    if (!reader.covers(entries, part.sequence, part.positions))
      entries = reader.load_async(part.sequence, part.positions);
    const Range tokens{part.token, part.token + part.positions.size()};
    const auto load = [&](const PlacedMatrix& from, std::int64_t column) {
      const std::int64_t first = column + part.head * d;
      return from.load_async(tokens, {first, first + d});
    };
    const tl::Handle new_keys = load(from_keys, k_column), new_values = load(from_values, v_column),
                     rows = reader.rows(entries, part.head, {part.positions});
    k_rows.scatter_async(new_keys, rows);
    v_rows.scatter_async(new_values, rows);
  }
  tl.wait();
}

void check_sequence(const std::string& op, std::size_t i, const SequenceStep& sequence,
                    const CacheShape& cache) {
  const std::int64_t count = sequence.new_tokens, context = sequence.context,
                     room = static_cast<std::int64_t>(sequence.blocks.size());
  if (count < 1 || context < count)
    throw UsageError(
        fmt::format("{}: sequence {} has {} new tokens and a context of {}, "
                    "allowed: at least 1 and at least the new ones",
                    op, i, count, context));
  if (cache.blocks_of(context) > room)
    throw UsageError(
        fmt::format("{}: sequence {} has {} tokens, but its block table has room for {}: {} "
                    "blocks of {}",
                    op, i, context, room * cache.block_tokens, room, cache.block_tokens));
  for (std::int64_t block = 0; block < cache.blocks_of(context); ++block) {
    const std::int64_t physical = sequence.blocks[static_cast<std::size_t>(block)];
    if (physical >= cache.blocks)
      throw UsageError(
          fmt::format("{}: block {} of sequence {} is block {} of the KV cache, allowed: 0 to {}",
                      op, block, i, physical, cache.blocks - 1));
  }
}

// UsageError if a block that a sequence writes to is used in another place, too.
void check_written_blocks(const std::string& op, const TokenBatch& batch, const CacheShape& cache) {
  struct Use {
    std::size_t sequence = 0;
    std::int64_t block = 0;
    bool written = false;
  };
  std::map<std::uint32_t, Use> uses;
  for (std::size_t i = 0; i < batch.sequences.size(); ++i) {
    const SequenceStep& sequence = batch.sequences[i];
    const std::int64_t first = (sequence.context - sequence.new_tokens) / cache.block_tokens;
    for (std::int64_t block = 0; block < cache.blocks_of(sequence.context); ++block) {
      const std::uint32_t physical = sequence.blocks[static_cast<std::size_t>(block)];
      const Use use{i, block, block >= first};
      const auto [other, is_new] = uses.emplace(physical, use);
      if (is_new || !(use.written || other->second.written)) continue;
      throw UsageError(
          fmt::format("{}: block {} of the KV cache is block {} of sequence {} and block {} of "
                      "sequence {}, but it is to have new tokens",
                      op, physical, other->second.block, other->second.sequence, block, i));
    }
  }
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
  for (const SequenceStep& sequence : sequences) {
    for (std::int64_t i = sequence.context - sequence.new_tokens; i < sequence.context; ++i)
      all.push_back(i);
  }
  return all;
}

KvCache make_kv_cache(Torch& torch, const CacheShape& shape, DType dtype, const PeGrid& grid) {
  const DPPolicy rows = rows_over(grid, shape.rows());
  const Shape extents{shape.rows(), shape.d};
  return {shape, torch.empty(extents, dtype, rows, "k_cache"),
          torch.empty(extents, dtype, rows, "v_cache")};
}

void assign_consecutive_blocks(TokenBatch& batch, const CacheShape& shape) {
  const std::size_t each =
      static_cast<std::size_t>(shape.blocks) / std::max<std::size_t>(1, batch.sequences.size());
  std::uint32_t next = 0;
  for (SequenceStep& sequence : batch.sequences) {
    sequence.blocks.resize(each);
    std::iota(sequence.blocks.begin(), sequence.blocks.end(), next);
    next += static_cast<std::uint32_t>(each);
  }
}

void check_batch(const std::string& op, const TokenBatch& batch, const CacheShape& cache) {
  if (batch.sequences.empty()) throw UsageError(op + ": a batch without sequences");
  for (std::size_t i = 0; i < batch.sequences.size(); ++i)
    check_sequence(op, i, batch.sequences[i], cache);
  check_written_blocks(op, batch, cache);
}

void append(Torch& torch, const TokenBatch& batch, const Tensor& keys, std::int64_t k_column,
            const Tensor& values, std::int64_t v_column, const KvCache& cache) {
  check_batch(append_name, batch, cache.shape);
  check_block_tables(append_name, batch, cache.shape);
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
  // Keys and values of a part in flight; those stored earlier may still be.
  const auto plan = std::make_shared<const AppendPlan>(
      append_plan(torch, batch, cache, rows_in(torch.spec().scratch_bytes / 16, row)));
  torch.launch(
      append_name,
      [plan, k_column, v_column](tl::Program& tl, tl::Tensor from_keys, tl::Tensor from_values,
                                 tl::Tensor k, tl::Tensor v, tl::Tensor tables) {
        append_rows(tl, *plan, from_keys, k_column, from_values, v_column, k, v, tables);
      },
      keys, values, cache.k, cache.v, batch.block_tables);
}

}  // namespace kernbench::ops
