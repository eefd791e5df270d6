// Attention to a KV cache: the plan of the host, which distributes the work over the PEs, and the
// two kernels.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "models/base/errors.h"
#include "sw/ops/kv_cache.h"
#include "sw/ops/online_softmax.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

// Consecutive queries of one KV head that attend to some of its keys.
struct AttendItem {
  std::int64_t row = 0, tokens = 0, head = 0;  // first row in q and out; KV head
  std::int64_t first_position = 0;             // position of the first query
  Range keys;                                  // positions
  std::int64_t cache_row = 0;                  // row of position 0
  std::int64_t partial = -1;                   // row of the partial result; -1: it is the result
};

// Result of a query head that consists of `count` partial ones; `query`: head of the group.
struct MergeItem {
  std::int64_t row = 0, head = 0, query = 0, partial = 0, count = 0;
};

struct AttendPlan {
  CacheShape cache;
  std::int64_t group = 1, block_keys = 1, partials = 0;
  int pes_per_cube = 1;
  std::vector<std::vector<AttendItem>> items;  // one list for each PE of the SIP
  std::vector<std::vector<MergeItem>> merges;

  std::size_t index_of(const PeId& pe) const {
    return static_cast<std::size_t>(pe.cube * pes_per_cube + pe.pe);
  }
  Range columns_of(std::int64_t head) const {
    const std::int64_t width = group * cache.d;
    return {head * width, (head + 1) * width};
  }
};

// --- on the host

constexpr std::int64_t most_query_rows = 128;  // more of them keep fewer keys in the scratch

class AttendPlanner {
 public:
  AttendPlanner(const TokenBatch& batch, const KvCache& cache, AttendPlan& plan)
      : batch_(batch), cache_(cache), plan_(plan) {}

  void plan() {
    std::int64_t blocks_of_one = 0;  // tokens of all sequences and heads
    for (const SequenceStep& sequence : batch_.sequences) {
      if (sequence.new_tokens > 1) blocks_of_one += sequence.new_tokens * plan_.cache.kv_heads;
    }
    const auto pes = static_cast<std::int64_t>(cache_.k.info()->blocks.size());
    const std::int64_t tokens =
        std::clamp<std::int64_t>((blocks_of_one + pes - 1) / pes, 1,
                                 std::max<std::int64_t>(1, most_query_rows / plan_.group));
    for (std::size_t i = 0; i < batch_.sequences.size(); ++i) {
      for (std::int64_t head = 0; head < plan_.cache.kv_heads; ++head) {
        if (batch_.sequences[i].new_tokens == 1)
          split_keys(i, head);
        else
          split_queries(i, head, tokens);
      }
    }
    distribute_queries();
  }

 private:
  AttendItem item_of(std::size_t sequence, std::int64_t head) const {
    const auto [count, context] = batch_.sequences[sequence];
    return {batch_.first_row(sequence),
            count,
            head,
            context - count,
            {0, context},
            plan_.cache.row(static_cast<std::int64_t>(sequence), head, 0)};
  }

  // Each PE attends to its own keys.
  void split_keys(std::size_t sequence, std::int64_t head) {
    const AttendItem whole = item_of(sequence, head);
    const Range rows{whole.cache_row, whole.cache_row + whole.keys.end};
    std::vector<std::pair<std::size_t, AttendItem>> parts;
    for (const tl::Block& block : cache_.k.info()->blocks) {
      const Range own{std::max(rows.begin, block.start[0]),
                      std::min(rows.end, block.start[0] + block.shape[0])};
      if (own.begin >= own.end) continue;
      AttendItem part = whole;
      part.keys = {own.begin - rows.begin, own.end - rows.begin};
      parts.emplace_back(plan_.index_of(block.where), part);
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    for (std::int64_t query = 0; count > 1 && query < plan_.group; ++query)
      plan_.merges[parts[static_cast<std::size_t>(query % count)].first].push_back(
          {whole.row, head, query, plan_.partials, count});
    for (auto& [pe, part] : parts) {
      if (count > 1) part.partial = plan_.partials++;
      plan_.items[pe].push_back(part);
    }
  }

  // Blocks of queries with all keys that their last one sees.
  void split_queries(std::size_t sequence, std::int64_t head, std::int64_t tokens) {
    const AttendItem whole = item_of(sequence, head);
    for (std::int64_t first = 0; first < whole.tokens; first += tokens) {
      AttendItem part = whole;
      part.row += first;
      part.tokens = std::min(tokens, whole.tokens - first);
      part.first_position += first;
      part.keys.end = part.first_position + part.tokens;
      blocks_.push_back(part);
    }
  }

  // The longest blocks first, in alternating order in each round: all PEs have about the same work.
  void distribute_queries() {
    std::stable_sort(blocks_.begin(), blocks_.end(), [](const AttendItem& a, const AttendItem& b) {
      return a.keys.size() > b.keys.size();
    });
    const auto& shards = cache_.k.info()->blocks;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t place = i % shards.size(),
                        shard = i / shards.size() % 2 == 0 ? place : shards.size() - 1 - place;
      plan_.items[plan_.index_of(shards[shard].where)].push_back(blocks_[i]);
    }
  }

  const TokenBatch& batch_;
  const KvCache& cache_;
  AttendPlan& plan_;
  std::vector<AttendItem> blocks_;
};

// Keys of a block: two blocks of keys and values, scores, weights and their product in flight.
std::int64_t keys_of_block(const MachineDescription& machine, const AttendPlan& plan,
                           std::int64_t size) {
  std::int64_t rows = 0;
  for (const auto& items : plan.items) {
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

AttendPlan attend_plan(Torch& torch, const TokenBatch& batch, std::int64_t group,
                       const KvCache& cache) {
  AttendPlan plan;
  plan.cache = cache.shape;
  plan.group = group;
  plan.pes_per_cube = torch.spec().pes;
  const auto pes = static_cast<std::size_t>(torch.spec().cubes() * torch.spec().pes);
  plan.items.resize(pes);
  plan.merges.resize(pes);
  AttendPlanner(batch, cache, plan).plan();
  plan.block_keys =
      keys_of_block(torch.spec(), plan, static_cast<std::int64_t>(size_of(cache.k.dtype())));
  return plan;
}

// --- on each PE

// Block of keys of an item.
struct AttendStep {
  const AttendItem* item = nullptr;
  Range keys;
  bool first() const { return keys.begin == item->keys.begin; }
  bool last() const { return keys.end == item->keys.end; }
};

// The operands of the next step are loaded concurrently with the current one.
class AttendKernel {
 public:
  AttendKernel(tl::Program& tl, const AttendPlan& plan, const tl::Tensor& q, const tl::Tensor& k,
               const tl::Tensor& v, const tl::Tensor& out, const tl::Tensor& partial)
      : tl_(tl), plan_(plan), q_(tl, q), k_(tl, k), v_(tl, v), out_(tl, out),
        partial_(tl, partial) {
    for (const AttendItem& item : plan.items[plan.index_of(tl.pe_id())]) {
      for (std::int64_t key = item.keys.begin; key < item.keys.end; key += plan.block_keys)
        steps_.push_back({&item, {key, std::min(item.keys.end, key + plan.block_keys)}});
    }
  }

  void run() {
    if (steps_.empty()) return;
    const tl::Overlap overlap(tl_);
    Operands next = load(steps_.front());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Operands now = std::move(next);
      next = i + 1 < steps_.size() ? load(steps_[i + 1]) : Operands{};
      add(steps_[i], now);
    }
    tl_.wait();
  }

 private:
  struct Operands {
    tl::Handle q, k, v;
  };

  std::int64_t rows_of_item(const AttendItem& item) const { return item.tokens * plan_.group; }

  Operands load(const AttendStep& step) {
    const AttendItem& item = *step.item;
    const Range rows{item.cache_row + step.keys.begin, item.cache_row + step.keys.end},
        columns{0, plan_.cache.d};
    Operands made;
    if (step.first())
      made.q = tl_.reshape(
          q_.load_async({item.row, item.row + item.tokens}, plan_.columns_of(item.head)),
          {rows_of_item(item), plan_.cache.d});
    made.k = tl_.load_async(k_.at(rows, columns));
    made.v = tl_.load_async(v_.at(rows, columns));
    return made;
  }

  void add(const AttendStep& step, const Operands& now) {
    const AttendItem& item = *step.item;
    const std::int64_t rows = rows_of_item(item), d = plan_.cache.d;
    if (step.first()) {
      query_ = now.q;
      sums_ = OnlineSoftmax::of_none(tl_, {rows, 1}, {rows, d});
    }
    const tl::Handle s = causal(tl_, tl_.dot(query_, tl_.trans(now.k), f32), item.first_position,
                                item.tokens, step.keys.begin);
    const tl::Handle p = sums_.weigh(tl_, s, softmax_scale(d), v_.dtype());
    sums_.acc = tl_.dot(p, now.v, std::move(sums_.acc));
    if (step.last()) store(item);
  }

  void store(const AttendItem& item) {
    if (item.partial < 0) {
      const Range columns = plan_.columns_of(item.head);
      tl_.store_async(
          out_.at({item.row, item.row + item.tokens}, columns),
          tl_.reshape(tl_.cast(sums_.mean(), out_.dtype()), {item.tokens, columns.size()}));
      return;
    }
    const tl::Handle block = packed(tl_, sums_);
    tl_.store_async(partial_.at({item.partial, item.partial + 1}, {0, partial_.columns()}),
                    tl_.reshape(block, {1, partial_.columns()}));
  }

  tl::Program& tl_;
  const AttendPlan& plan_;
  PlacedMatrix q_, k_, v_, out_, partial_;
  std::vector<AttendStep> steps_;
  tl::Handle query_;
  OnlineSoftmax sums_;
};

void merge_partials(tl::Program& tl, const AttendPlan& plan, const tl::Tensor& partial,
                    const tl::Tensor& out) {
  const tl::Overlap overlap(tl);
  const PlacedMatrix partials(tl, partial), results(tl, out);
  const std::int64_t d = plan.cache.d, width = d + 2;
  for (const MergeItem& item : plan.merges[plan.index_of(tl.pe_id())]) {
    const OnlineSoftmax sums =
        unpacked(tl, tl.load_async(partials.at({item.partial, item.partial + item.count},
                                               {item.query * width, (item.query + 1) * width})));
    const tl::Handle mean = tl.reshape(mean_of_all(tl, sums), {1, d});
    const std::int64_t column = plan.columns_of(item.head).begin + item.query * d;
    tl.store_async(results.at({item.row, item.row + 1}, {column, column + d}),
                   tl.cast(mean, out.dtype()));
  }
  tl.wait();
}

void check_attend(const std::string& name, const TokenBatch& batch, std::int64_t group,
                  const Tensor& q, const KvCache& cache, const Tensor& out) {
  check_batch(name, batch, cache.shape);
  for (const Tensor* tensor : {&cache.k, &cache.v, &out}) check_whole_rows(name, *tensor);
  const std::int64_t width = cache.shape.kv_heads * group * cache.shape.d;
  check_shape(name, out, {batch.tokens(), width});
  if (q.shape().rank() != 2 || q.shape()[0] != batch.tokens() || q.shape()[1] < width ||
      q.is_partial())
    throw UsageError(
        fmt::format("{}: '{}' is {}, expected {} rows of at least {} columns, without "
                    "partial sums",
                    name, q.name(), q.shape().str(), batch.tokens(), width));
}

}  // namespace

void attend(Torch& torch, const TokenBatch& batch, std::int64_t group, const Tensor& q,
            const KvCache& cache, const Tensor& out, const PeGrid& grid) {
  const std::string name = "attention";
  check_attend(name, batch, group, q, cache, out);
  const auto plan = std::make_shared<const AttendPlan>(attend_plan(torch, batch, group, cache));
  const std::int64_t rows = std::max<std::int64_t>(1, plan->partials);
  const Tensor partial = torch.empty({rows, group * (cache.shape.d + 2)}, f32,
                                     rows_over(grid, rows), name + "_partial");
  torch.launch(
      name,
      [plan](tl::Program& tl, tl::Tensor queries, tl::Tensor k, tl::Tensor v, tl::Tensor result,
             tl::Tensor sums) { AttendKernel(tl, *plan, queries, k, v, result, sums).run(); },
      q, cache.k, cache.v, out, partial);
  if (plan->partials == 0) return;
  torch.launch(
      LaunchSpec(name + "_merge").meta({{"op", name}}),
      [plan](tl::Program& tl, tl::Tensor sums, tl::Tensor result, tl::Tensor /*k: its PEs*/) {
        merge_partials(tl, *plan, sums, result);
      },
      partial, out, cache.k);
}

}  // namespace kernbench::ops
