#include "sw/ops/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/base/errors.h"
#include "sw/ops/online_softmax.h"
#include "sw/tl/overlap.h"

namespace kernbench::ops {
namespace {

// Queries of some heads, to which all keys of the ring are added: heads [head, head + heads) of the
// keys, `rows` tokens from row `row` of q on. A rank that has fewer queries than others has passes
// without rows, in which it forwards keys.
struct Pass {
  std::int64_t head = 0, heads = 0;
  std::int64_t row = 0, rows = 0;
};

// Tile of keys in a pass, `count` of rank `owner` from its key `first` on; without keys if the pass
// has none. `hop`: number of sends that have brought it here.
struct RingStep {
  Pass pass;
  int owner = 0, hop = 0;
  std::int64_t first = 0, count = 0;
  bool begins_pass = false;
};

// Steps of a rank, in the order in which it has the tiles: first tiles of all ranks, starting with
// its own and then those of the ranks before it, then second tiles, and so on. So a tile makes its
// round before the next one leaves, and rings of one tile suffice.
class Walk {
 public:
  Walk(const RingAttention& of, int rank)
      : of_(of), rank_(rank), ranks_(static_cast<int>(of.ranks.size())),
        hops_(of.travels == Travels::keys ? ranks_ : 1) {
    std::int64_t queries = 0, keys = 0;
    for (int hop = 0; hop < hops_; ++hop) keys = std::max(keys, part(owner_of(hop)).keys.count);
    for (const AttentionRank& other : of.ranks) queries = std::max(queries, other.queries.count);
    query_blocks_ = tl::Program::cdiv(queries, of.tile.queries);
    tiles_ = std::max<std::int64_t>(1, tl::Program::cdiv(keys, of.tile.keys));
  }

  // Empty after the last step.
  std::optional<RingStep> next() {
    const std::int64_t head_blocks = tl::Program::cdiv(of_.heads.kv_heads, of_.tile.kv_heads);
    while (pass_ < head_blocks * query_blocks_) {
      const RingStep step = here();
      advance();
      if (step.count > 0 || (hops_ == 1 && step.first == 0)) return step;
      begins_ = begins_ || step.begins_pass;
    }
    return {};
  }

 private:
  const AttentionRank& part(int rank) const { return of_.ranks[static_cast<std::size_t>(rank)]; }
  int owner_of(int hop) const { return (rank_ + ranks_ - hop) % ranks_; }

  RingStep here() {
    const std::int64_t head = pass_ / query_blocks_ * of_.tile.kv_heads,
                       row = pass_ % query_blocks_ * of_.tile.queries;
    RingStep step{{head, std::min(of_.tile.kv_heads, of_.heads.kv_heads - head), row,
                   std::clamp<std::int64_t>(part(rank_).queries.count - row, 0, of_.tile.queries)},
                  owner_of(hop_),
                  hop_,
                  tile_ * of_.tile.keys};
    step.count =
        std::clamp<std::int64_t>(part(step.owner).keys.count - step.first, 0, of_.tile.keys);
    step.begins_pass = begins_;
    begins_ = false;
    return step;
  }
  void advance() {
    if (++hop_ < hops_) return;
    hop_ = 0;
    if (++tile_ < tiles_) return;
    tile_ = 0;
    ++pass_;
    begins_ = true;
  }

  const RingAttention& of_;
  int rank_, ranks_, hops_;
  std::int64_t query_blocks_ = 0, tiles_ = 0;
  std::int64_t pass_ = 0, tile_ = 0;
  int hop_ = 0;
  bool begins_ = true;
};

// The kernel of one rank. Scores of a tile are multiplied while the previous tile passes softmax,
// and the tile after it is loaded or received.
class RankKernel {
 public:
  RankKernel(tl::Program& tl, const RingAttention& of, int rank, const tl::Tensor& q,
             const tl::Tensor& k, const tl::Tensor& v, const tl::Tensor& out)
      : tl_(tl), of_(of), rank_(rank), ranks_(static_cast<int>(of.ranks.size())), q_(q), k_(k),
        v_(v), out_(out), queries_(of.ranks[static_cast<std::size_t>(rank)].queries) {}

  void run() {
    const tl::Overlap overlap(tl_);
    Walk walk(of_, rank_);
    std::optional<RingStep> step = walk.next();
    Fetched next = step ? fetch(*step) : Fetched{};
    while (step) {
      const RingStep now = *step;
      Fetched tile = std::move(next);
      step = walk.next();
      next = step ? fetch(*step) : Fetched{};
      if (now.begins_pass) begin(now.pass, tile.q);
      if (now.count > 0) add(now, tile);
      if (!step || step->begins_pass) end(now.pass);
    }
    tl_.wait();
  }

 private:
  // Operands of a step in flight.
  struct Fetched {
    tl::Handle q, k, v;
    std::optional<tl::RecvFuture> coming_k, coming_v;
  };
  // Tile whose scores are computed.
  struct Scored {
    Pass pass;
    Positions keys;
    tl::Handle s, v;
  };

  std::int64_t rows_of(const Pass& pass) const { return pass.rows * of_.heads.group(); }

  // q or out{tokens, kv_heads, group, d} as {heads, rows, group, d}.
  tl::BlockPtr block_of(const tl::Tensor& x, const Pass& pass) const {
    const auto& [q_heads, kv_heads, d] = of_.heads;
    const std::int64_t group = of_.heads.group();
    return tl_.make_block_ptr(x.local(), {kv_heads, queries_.count, group, d},
                              {group * d, q_heads * d, d, 1}, {pass.head, pass.row, 0, 0},
                              {pass.heads, pass.rows, group, d});
  }

  Fetched fetch(const RingStep& step) {
    Fetched tile;
    if (step.begins_pass && step.pass.rows > 0) tile.q = tl_.load_async(block_of(q_, step.pass));
    if (step.count == 0) return tile;
    const Shape shape{step.pass.heads, step.count, of_.heads.d};
    if (step.hop > 0) {
      tile.coming_k = tl_.recv_async("W", shape, k_.dtype());
      tile.coming_v = tl_.recv_async("W", shape, v_.dtype());
      return tile;
    }
    const auto load = [&](const tl::Tensor& x) {
      const std::int64_t rows = x.local_shape()[1], d = of_.heads.d;
      return tl_.load_async(tl_.make_block_ptr(x.local(), {of_.heads.kv_heads, rows, d},
                                               {rows * d, d, 1}, {step.pass.head, step.first, 0},
                                               shape));
    };
    tile.k = load(k_);
    tile.v = load(v_);
    return tile;
  }

  void begin(const Pass& pass, const tl::Handle& q) {
    if (pass.rows == 0) return;
    const std::int64_t rows = rows_of(pass), d = of_.heads.d;
    q_block_ = tl_.reshape(q, {pass.heads, rows, d});
    sums_ = OnlineSoftmax::of_none(tl_, {pass.heads, rows, 1}, {pass.heads, rows, d});
  }

  void add(const RingStep& step, Fetched& tile) {
    const bool forwards = of_.travels == Travels::keys && step.hop + 1 < ranks_;
    const Positions keys{of_.ranks[static_cast<std::size_t>(step.owner)].keys.first + step.first,
                         step.count};
    const std::int64_t last_query = queries_.first + step.pass.row + step.pass.rows - 1;
    const bool seen = step.pass.rows > 0 && (!of_.causal || keys.first <= last_query);
    if (tile.coming_k) tile.k = tl_.wait(*tile.coming_k);
    if (forwards) tl_.send_async("E", tile.k);
    tl::Handle s;
    if (seen) s = tl_.dot(q_block_, tl_.trans(tile.k), f32);  // {heads, rows, keys}
    if (tile.coming_v) tile.v = tl_.wait(*tile.coming_v);
    if (forwards) tl_.send_async("E", tile.v);
    if (!seen) return;
    absorb();
    scored_ = Scored{step.pass, keys, s, tile.v};
  }

  // Adds the scored tile to the sums.
  void absorb() {
    if (!scored_) return;
    tl::Handle s = std::move(scored_->s);
    if (of_.causal)
      s = causal(tl_, s, queries_.first + scored_->pass.row, scored_->pass.rows,
                 scored_->keys.first);
    const tl::Handle p = sums_.weigh(tl_, s, softmax_scale(of_.heads.d), v_.dtype());
    sums_.acc = tl_.dot(p, scored_->v, std::move(sums_.acc));
    scored_.reset();
  }

  void end(const Pass& pass) {
    absorb();
    if (pass.rows == 0) return;
    if (of_.travels == Travels::sums) merge();
    const tl::Handle mean = tl_.cast(sums_.mean(), out_.dtype());
    tl_.store_async(block_of(out_, pass),
                    tl_.reshape(mean, {pass.heads, pass.rows, of_.heads.group(), of_.heads.d}));
    sums_ = {};
    q_block_ = {};
  }

  // The sums of every rank travel around the ring; a received block is sent on before its merge.
  void merge() {
    if (ranks_ == 1) return;
    tl::Handle block = packed(tl_, sums_);
    tl_.send_async("E", block);
    for (int hop = 1; hop < ranks_; ++hop) {
      block = tl_.recv("W", block.shape(), f32);
      if (hop + 1 < ranks_) tl_.send_async("E", block);
      sums_ = merged(tl_, sums_, unpacked(tl_, block));
    }
  }

  tl::Program& tl_;
  const RingAttention& of_;
  int rank_, ranks_;
  const tl::Tensor &q_, &k_, &v_, &out_;
  Positions queries_;
  tl::Handle q_block_;
  OnlineSoftmax sums_;
  std::optional<Scored> scored_;
};

}  // namespace

void ring_attention(tl::Program& tl, const RingAttention& of, const tl::Tensor& q,
                    const tl::Tensor& k, const tl::Tensor& v, const tl::Tensor& out) {
  const PeId here = tl.pe_id();
  for (std::size_t rank = 0; rank < of.ranks.size(); ++rank) {
    PeId pe = of.ranks[rank].pe;
    if (pe.sip == this_device) pe.sip = here.sip;
    if (pe == here) return RankKernel(tl, of, static_cast<int>(rank), q, k, v, out).run();
  }
}

}  // namespace kernbench::ops
