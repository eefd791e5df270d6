#include "sw/ops/kv_attention_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench::ops {
namespace {

constexpr std::int64_t most_query_rows = 128;  // more of them keep fewer keys in the scratch

class AttendPlanner {
 public:
  AttendPlanner(const TokenBatch& batch, const KvCache& cache, AttendPlan& plan)
      : batch_(batch), cache_(cache), owners_(cache), plan_(plan) {}

  void plan() {
    const std::int64_t tokens = tokens_of_item();
    std::int64_t row = 0;
    for (std::size_t i = 0; i < batch_.sequences.size(); ++i) {
      const SequenceStep& sequence = batch_.sequences[i];
      for (std::int64_t head = 0; head < plan_.cache.kv_heads; ++head) {
        const AttendItem whole{i,
                               row,
                               sequence.new_tokens,
                               head,
                               sequence.context - sequence.new_tokens,
                               {{0, sequence.context}}};
        if (sequence.new_tokens == 1)
          split_keys(whole);
        else
          split_queries(whole, tokens);
      }
      row += sequence.new_tokens;
    }
    distribute_queries();
  }

 private:
  // Sequences of several tokens: about one item for each PE, within the scratch.
  std::int64_t tokens_of_item() const {
    std::int64_t all = 0;  // of all such sequences and heads
    for (const SequenceStep& sequence : batch_.sequences) {
      if (sequence.new_tokens > 1) all += sequence.new_tokens * plan_.cache.kv_heads;
    }
    const auto pes = static_cast<std::int64_t>(cache_.k.info()->blocks.size());
    return std::clamp<std::int64_t>((all + pes - 1) / pes, 1,
                                    std::max<std::int64_t>(1, most_query_rows / plan_.group));
  }

  // Each PE attends to its own keys.
  void split_keys(const AttendItem& whole) {
    const std::vector<CacheOwners::Part> parts =
        owners_.parts(batch_.sequences[whole.sequence], whole.head, whole.keys.front());
    const auto count = static_cast<std::int64_t>(parts.size());
    for (std::int64_t query = 0; count > 1 && query < plan_.group; ++query)
      plan_.merges[parts[static_cast<std::size_t>(query % count)].pe].push_back(
          {whole.row, whole.head, query, plan_.partials, count});
    for (const auto& [pe, positions] : parts) {
      AttendItem item = whole;
      item.keys = positions;
      if (count > 1) item.partial = plan_.partials++;
      plan_.items[pe].push_back(std::move(item));
    }
  }

  // Groups of queries with all keys that their last one sees.
  void split_queries(const AttendItem& whole, std::int64_t tokens) {
    for (std::int64_t first = 0; first < whole.tokens; first += tokens) {
      AttendItem part = whole;
      part.row += first;
      part.tokens = std::min(tokens, whole.tokens - first);
      part.first_position += first;
      part.keys.front().end = part.first_position + part.tokens;
      groups_.push_back(std::move(part));
    }
  }

  // The longest groups first, in alternating order in each round: all PEs have about the same work.
  void distribute_queries() {
    const auto keys = [](const AttendItem& item) { return item.keys.front().size(); };
    std::stable_sort(groups_.begin(), groups_.end(),
                     [&](const AttendItem& a, const AttendItem& b) { return keys(a) > keys(b); });
    const auto& shards = cache_.k.info()->blocks;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::size_t place = i % shards.size(),
                        shard = i / shards.size() % 2 == 0 ? place : shards.size() - 1 - place;
      plan_.items[shards[shard].where].push_back(std::move(groups_[i]));
    }
  }

  const TokenBatch& batch_;
  const KvCache& cache_;
  const CacheOwners owners_;
  AttendPlan& plan_;
  std::vector<AttendItem> groups_;
};

// Keys of a step: two steps of keys and values, scores, weights and their product in flight.
std::int64_t keys_of_step(const MachineDescription& machine, const AttendPlan& plan,
                          std::int64_t size) {
  std::int64_t rows = 0;
  for (const auto& [pe, items] : plan.items) {
    for (const AttendItem& item : items) rows = std::max(rows, item.tokens * plan.group);
  }
  const std::int64_t room =
      static_cast<std::int64_t>(machine.scratch_bytes) / 2 - rows * plan.cache.d * 16;
  const std::int64_t keys = room / (4 * plan.cache.d * size + 12 * rows);
  if (keys < 1)
    throw UsageError(
        fmt::format("attention: {} queries and a key of {} elements do not fit the "
                    "scratch of {} bytes",
                    rows, plan.cache.d, machine.scratch_bytes));
  return keys < 32 ? keys : std::min<std::int64_t>(keys / 32 * 32, 512);
}

}  // namespace

AttendPlan attend_plan(const Torch& torch, const TokenBatch& batch, std::int64_t group,
                       const KvCache& cache) {
  AttendPlan plan;
  plan.cache = cache.shape;
  plan.without_data = values_without_data(torch, batch);
  plan.group = group;
  AttendPlanner(batch, cache, plan).plan();
  plan.step_keys =
      keys_of_step(torch.spec(), plan, static_cast<std::int64_t>(size_of(cache.k.dtype())));
  return plan;
}

}  // namespace kernbench::ops
