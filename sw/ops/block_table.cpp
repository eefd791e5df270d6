#include "sw/ops/block_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench::ops {

// --- on the host

CacheOwners::CacheOwners(const KvCache& cache) : shape_(cache.shape) {
  for (const tl::Block& block : cache.k.info()->blocks)
    shards_.push_back({{block.start[0], block.start[0] + block.shape[0]}, block.where});
  std::sort(shards_.begin(), shards_.end(),
            [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
}

std::vector<CacheOwners::Part> CacheOwners::parts(const SequenceStep& sequence, std::int64_t head,
                                                  const Range& positions) const {
  std::vector<std::vector<Range>> of_shard(shards_.size());
  for (std::int64_t begin = positions.begin; begin < positions.end;) {
    const std::int64_t block = begin / shape_.block_tokens,
                       end = std::min(positions.end, (block + 1) * shape_.block_tokens),
                       first = shape_.row(sequence.blocks[static_cast<std::size_t>(block)], head,
                                          begin % shape_.block_tokens);
    const Range rows{first, first + end - begin};
    auto shard = std::upper_bound(
        shards_.begin(), shards_.end(), rows.begin,
        [](std::int64_t row, const auto& candidate) { return row < candidate.first.end; });
    for (; shard != shards_.end() && shard->first.meets(rows); ++shard) {
      const std::int64_t low = std::max(rows.begin, shard->first.begin),
                         high = std::min(rows.end, shard->first.end);
      const Range part{begin + low - first, begin + high - first};
      auto& ranges = of_shard[static_cast<std::size_t>(shard - shards_.begin())];
      if (!ranges.empty() && ranges.back().end == part.begin)
        ranges.back().end = part.end;
      else
        ranges.push_back(part);
    }
    begin = end;
  }
  std::vector<Part> parts;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    if (!of_shard[i].empty()) parts.push_back({shards_[i].second, std::move(of_shard[i])});
  }
  return parts;
}

HostTables values_without_data(const Torch& torch, const TokenBatch& batch) {
  HostTables tables;
  if (torch.with_data()) return tables;
  for (const SequenceStep& sequence : batch.sequences) tables.push_back(sequence.blocks);
  return tables;
}

namespace {

Shape shape_of_tables(const TokenBatch& batch, const CacheShape& cache) {
  std::int64_t most = 1;
  for (const SequenceStep& sequence : batch.sequences)
    most = std::max(most, cache.blocks_of(sequence.context));
  return {static_cast<std::int64_t>(batch.sequences.size()), most};
}

}  // namespace

void write_block_tables(Torch& torch, TokenBatch& batch, const CacheShape& cache,
                        const PeGrid& grid) {
  check_batch("block_tables", batch, cache);
  const Shape shape = shape_of_tables(batch, cache);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  auto row = values.begin();
  for (const SequenceStep& sequence : batch.sequences) {
    std::copy_n(sequence.blocks.begin(), cache.blocks_of(sequence.context), row);
    row += shape[1];
  }
  const int pes = static_cast<int>(std::min<std::int64_t>(grid.pes, shape[0]));
  batch.block_tables =
      torch.from_host(HostArray(shape, i32, values),
                      {Placement::replicate, Placement::row_wise, grid.cubes, pes}, "block_tables");
}

void check_block_tables(const std::string& op, const TokenBatch& batch, const CacheShape& cache) {
  const Tensor& tables = batch.block_tables;
  const Shape expected = shape_of_tables(batch, cache);
  if (tables.deployed() && tables.dtype() == i32 && tables.shape() == expected) return;
  throw UsageError(fmt::format(
      "{}: the block tables on the device are {}, expected {}: call "
      "write_block_tables() for this batch",
      op, tables.deployed() ? text_of(tables) : "not written", describe(i32, expected)));
}

// --- on each PE

TableReader::Entries TableReader::load_async(std::size_t sequence, const Range& positions) const {
  const Range blocks = blocks_of(positions);
  const auto row = static_cast<std::int64_t>(sequence);
  return {sequence, blocks, {}, tables_.load_async({row, row + 1}, blocks)};
}

bool TableReader::covers(const Entries& entries, std::size_t sequence,
                         const Range& positions) const {
  return entries.sequence == sequence && entries.blocks.covers(blocks_of(positions));
}

void TableReader::await(Entries& entries) const {
  if (!entries.read.empty()) return;
  if (without_data_.empty()) {
    entries.read = entries.loaded.index_values();
  } else {
    tl_.wait(entries.loaded);
    const auto first = without_data_[entries.sequence].begin();
    entries.read.assign(first + entries.blocks.begin, first + entries.blocks.end);
  }
  entries.loaded = {};
  for (std::size_t i = 0; i < entries.read.size(); ++i) {
    if (entries.read[i] < 0 || entries.read[i] >= cache_.blocks)
      throw UsageError(
          fmt::format("'{}'[{}, {}] is {}, allowed: the blocks 0 to {} of the KV cache", name_,
                      entries.sequence, entries.blocks.begin + static_cast<std::int64_t>(i),
                      entries.read[i], cache_.blocks - 1));
  }
}

tl::Handle TableReader::rows(Entries& entries, std::int64_t head,
                             const std::vector<Range>& positions) const {
  await(entries);
  std::vector<std::int64_t> rows;
  for (const Range& range : positions) {
    for (std::int64_t position = range.begin; position < range.end; ++position) {
      const std::int64_t block = position / cache_.block_tokens - entries.blocks.begin;
      rows.push_back(cache_.row(entries.read[static_cast<std::size_t>(block)], head,
                                position % cache_.block_tokens));
    }
  }
  return tl_.indices(rows);
}

}  // namespace kernbench::ops
