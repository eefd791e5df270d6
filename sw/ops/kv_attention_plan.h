// Plan of attention to a KV cache: the host distributes the work over the PEs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sw/ops/block_table.h"

namespace kernbench::ops {

// Consecutive queries of one KV head that attend to some of its keys.
struct AttendItem {
  std::size_t sequence = 0;
  std::int64_t row = 0, tokens = 0, head = 0;  // first row in q and out; KV head
  std::int64_t first_position = 0;             // position of the first query
  std::vector<Range> keys;                     // positions, ascending; one range for several tokens
  std::int64_t partial = -1;                   // row of the partial result; -1: it is the result
};

// Result of a query head that consists of `count` partial ones; `query`: head of the group.
struct MergeItem {
  std::int64_t row = 0, head = 0, query = 0, partial = 0, count = 0;
};

struct AttendPlan {
  CacheShape cache;
  HostTables without_data;
  std::int64_t group = 1;
  std::int64_t step_keys = 1;  // most keys that a kernel attends to at once
  std::int64_t partials = 0;
  std::map<PeId, std::vector<AttendItem>> items;
  std::map<PeId, std::vector<MergeItem>> merges;

  Range columns_of(std::int64_t head) const {
    const std::int64_t width = group * cache.d;
    return {head * width, (head + 1) * width};
  }
};

// UsageError if a key with the queries of an item does not fit the scratch.
AttendPlan attend_plan(const Torch& torch, const TokenBatch& batch, std::int64_t group,
                       const KvCache& cache);

}  // namespace kernbench::ops
