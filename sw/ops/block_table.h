// Block tables of a paged KV cache: the PEs that have the blocks, for the plan of the host, and the
// entries that a kernel reads from memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sw/ops/kv_cache.h"

namespace kernbench::ops {

// PEs that have rows of a cache.
class CacheOwners {
 public:
  explicit CacheOwners(const KvCache& cache);

  // Those of `positions` of a head that a PE has, in ascending order, without adjacent ranges.
  struct Part {
    PeId pe;
    std::vector<Range> positions;
  };
  // By the order of the PEs' rows in the cache. The sequence has passed check_batch().
  std::vector<Part> parts(const SequenceStep& sequence, std::int64_t head,
                          const Range& positions) const;

 private:
  CacheShape shape_;
  std::vector<std::pair<Range, PeId>> shards_;  // rows, ascending
};

// Blocks of each sequence of a batch, by index in the batch.
using HostTables = std::vector<std::vector<std::uint32_t>>;
// The copy from which kernels have the values with data off; else empty.
HostTables values_without_data(const Torch& torch, const TokenBatch& batch);
// UsageError unless write_block_tables() has written tables of the shape of this batch.
void check_block_tables(const std::string& op, const TokenBatch& batch, const CacheShape& cache);

// Block tables in a kernel.
class TableReader {
 public:
  // `without_data` outlives the reader.
  TableReader(tl::Program& tl, const tl::Tensor& tables, const CacheShape& cache,
              const HostTables& without_data)
      : tl_(tl), name_(tables.name()), tables_(tl, tables), cache_(cache),
        without_data_(without_data) {}

  // Entries of consecutive positions of a sequence, in flight until rows() has used them.
  struct Entries {
    std::size_t sequence = 0;
    Range blocks;                    // those of the sequence, from 0
    std::vector<std::int64_t> read;  // their physical blocks
    tl::Handle loaded;
  };
  Entries load_async(std::size_t sequence, const Range& positions) const;
  // True if they are those of `positions`, or more.
  bool covers(const Entries& entries, std::size_t sequence, const Range& positions) const;

  // Rows of the cache that have the positions of a head: i32{positions}, an index block. Waits for
  // the entries. UsageError: an entry that is no block of the cache.
  tl::Handle rows(Entries& entries, std::int64_t head, const std::vector<Range>& positions) const;

 private:
  Range blocks_of(const Range& positions) const {
    return {positions.begin / cache_.block_tokens, cache_.blocks_of(positions.end)};
  }
  void await(Entries& entries) const;

  tl::Program& tl_;
  std::string name_;
  PlacedMatrix tables_;
  CacheShape cache_;
  const HostTables& without_data_;
};

}  // namespace kernbench::ops
