// Attention to a KV cache: the two kernels.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "models/base/errors.h"
#include "sw/ops/kv_attention_plan.h"
#include "sw/ops/online_softmax.h"
#include "sw/tl/overlap.h"
#include "sw/tl/prefetch.h"

namespace kernbench::ops {
namespace {

// --- on each PE

// Keys of an item that are attended to at once.
struct AttendStep {
  std::size_t item = 0;
  std::vector<Range> keys;
  bool first = false, last = false;
};

// Cuts the keys of an item into steps of `most`.
void add_steps(std::vector<AttendStep>& steps, std::size_t item, const std::vector<Range>& keys,
               std::int64_t most) {
  std::int64_t room = 0;
  const std::size_t first = steps.size();
  for (const Range& range : keys) {
    for (std::int64_t begin = range.begin; begin < range.end;) {
      if (room == 0) {
        steps.push_back({item, {}});
        room = most;
      }
      const std::int64_t end = std::min(range.end, begin + room);
      steps.back().keys.push_back({begin, end});
      room -= end - begin;
      begin = end;
    }
  }
  steps[first].first = steps.back().last = true;
}

// The operands of the next step are loaded concurrently with the current one.
class AttendKernel {
 public:
  AttendKernel(tl::Program& tl, const AttendPlan& plan, const std::vector<AttendItem>& items,
               const tl::Tensor& q, const tl::Tensor& k, const tl::Tensor& v,
               const tl::Tensor& tables, const tl::Tensor& out, const tl::Tensor& partial)
      : tl_(tl), plan_(plan), items_(items), q_(tl, q), out_(tl, out), partial_(tl, partial),
        k_(cache_rows(k)), v_(cache_rows(v)), tables_(tl, tables, plan.cache, plan.without_data) {
    for (std::size_t i = 0; i < items.size(); ++i)
      add_steps(steps_, i, items[i].keys, plan.step_keys);
  }

  void run() {
    const tl::Overlap overlap(tl_);
    next_entries_ = entries_of(items_.front());
    tl::Prefetch loads(static_cast<std::int64_t>(steps_.size()), [this](std::int64_t i) {
      return load(steps_[static_cast<std::size_t>(i)]);
    });
    for (const AttendStep& step : steps_) add(step, loads.next());
    tl_.wait();
  }

 private:
  struct Operands {
    tl::Handle q, k, v;
  };

  std::int64_t rows_of_item(const AttendItem& item) const { return item.tokens * plan_.group; }

  tl::TensorDescriptor cache_rows(const tl::Tensor& cache) const {
    const std::int64_t d = plan_.cache.d;
    return tl_.make_tensor_descriptor(cache, {plan_.cache.rows(), d}, {d, 1}, {1, d});
  }

  static Range span(const AttendItem& item) {
    return {item.keys.front().begin, item.keys.back().end};
  }
  TableReader::Entries entries_of(const AttendItem& item) const {
    return tables_.load_async(item.sequence, span(item));
  }

  // Block table entries are loaded one item ahead, unless those of the current item can be used.
  void select_entries(const AttendItem& item) {
    if (tables_.covers(entries_, item.sequence, span(item))) return;
    entries_ = *std::exchange(next_entries_, {});
  }
  void load_entries_ahead(std::size_t i) {
    if (i == items_.size() || tables_.covers(entries_, items_[i].sequence, span(items_[i]))) return;
    next_entries_ = entries_of(items_[i]);
  }

  Operands load(const AttendStep& step) {
    const AttendItem& item = items_[step.item];
    Operands made;
    if (step.first) {
      made.q = tl_.reshape(
          q_.load_async({item.row, item.row + item.tokens}, plan_.columns_of(item.head)),
          {rows_of_item(item), plan_.cache.d});
      select_entries(item);
    }
    const tl::Handle rows = tables_.rows(entries_, item.head, step.keys);
    made.k = k_.gather_async(rows);
    made.v = v_.gather_async(rows);
    if (step.first) load_entries_ahead(step.item + 1);
    return made;
  }

  void add(const AttendStep& step, const Operands& now) {
    const AttendItem& item = items_[step.item];
    const std::int64_t rows = rows_of_item(item), d = plan_.cache.d;
    if (step.first) {
      query_ = now.q;
      sums_ = OnlineSoftmax::of_none(tl_, {rows, 1}, {rows, d});
    }
    const tl::Handle s = causal(tl_, tl_.dot(query_, tl_.trans(now.k), f32), item.first_position,
                                item.tokens, step.keys.front().begin);
    const tl::Handle p = sums_.weigh(tl_, s, softmax_scale(d), now.v.dtype());
    sums_.acc = tl_.dot(p, now.v, std::move(sums_.acc));
    if (step.last) store(item);
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
  const std::vector<AttendItem>& items_;
  PlacedMatrix q_, out_, partial_;
  tl::TensorDescriptor k_, v_;
  TableReader tables_;
  TableReader::Entries entries_;                      // of the item that is loaded
  std::optional<TableReader::Entries> next_entries_;  // in flight
  std::vector<AttendStep> steps_;
  tl::Handle query_;
  OnlineSoftmax sums_;
};

void merge_partials(tl::Program& tl, const AttendPlan& plan, const tl::Tensor& partial,
                    const tl::Tensor& out) {
  const auto items = plan.merges.find(tl.pe_id());
  if (items == plan.merges.end()) return;
  const tl::Overlap overlap(tl);
  const PlacedMatrix partials(tl, partial), results(tl, out);
  const std::int64_t d = plan.cache.d, width = d + 2;
  for (const MergeItem& item : items->second) {
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
  check_block_tables(name, batch, cache.shape);
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
      [plan](tl::Program& tl, tl::Tensor queries, tl::Tensor k, tl::Tensor v, tl::Tensor tables,
             tl::Tensor result, tl::Tensor sums) {
        const auto own = plan->items.find(tl.pe_id());
        if (own != plan->items.end())
          AttendKernel(tl, *plan, own->second, queries, k, v, tables, result, sums).run();
      },
      q, cache.k, cache.v, batch.block_tables, out, partial);
  if (plan->partials == 0) return;
  torch.launch(
      LaunchSpec(name + "_merge").meta({{"op", name}}),
      [plan](tl::Program& tl, tl::Tensor sums, tl::Tensor result, tl::Tensor /*k: its PEs*/) {
        merge_partials(tl, *plan, sums, result);
      },
      partial, out, cache.k);
}

}  // namespace kernbench::ops
