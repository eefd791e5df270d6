// IterationMemo: iteration times by the shape of the batch, so that a simulated machine is asked
// once for each shape: serve(requests, limits, std::ref(memo)).
//
// Key: for each sequence its new tokens, its context and whether it emits, as a multiset: the order
// of sequences and the blocks that they use are not part of it. Rounding: a context of 0 remains 0;
// others are rounded up to a multiple of the bucket, but not beyond the longest sequence of the
// model. So a time is that of a batch at least as long as the real one.
#pragma once

#include <map>
#include <tuple>

#include "sw/serving/serving_run.h"

namespace kernbench::serving {

class IterationMemo {
 public:
  // UsageError for a bucket of 0 tokens. 1: contexts are exact.
  IterationMemo(IterationTime simulate, const ServingLimits& limits,
                std::uint32_t context_bucket_tokens);

  // The time of the first batch with this key. `simulate` receives the batch of the key: rounded
  // contexts, sequences in the order of the key (most new tokens first), `request` as in the batch.
  // The block tables of rounded contexts are extended by blocks from limits.blocks on, at most
  // extra_blocks(), each in one place.
  Fs operator()(const Batch& batch);

  // Blocks that a simulated cache needs in addition to limits.blocks.
  static std::uint32_t extra_blocks(const ServingLimits& limits,
                                    std::uint32_t context_bucket_tokens);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return times_.size(); }  // batches that were simulated

 private:
  // New tokens, rounded context, emits.
  using Key = std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>>;

  std::uint32_t rounded_context(const BatchSequence& sequence) const;

  IterationTime simulate_;
  ServingLimits limits_;
  std::uint32_t bucket_;
  std::map<Key, Fs> times_;
  std::uint64_t hits_ = 0;
};

}  // namespace kernbench::serving
