#include "sw/serving/iteration_memo.h"

#include <algorithm>

#include "models/base/errors.h"

namespace kernbench::serving {

IterationMemo::IterationMemo(IterationTime simulate, const ServingLimits& limits,
                             std::uint32_t context_bucket_tokens)
    : simulate_(std::move(simulate)), limits_(limits), bucket_(context_bucket_tokens) {
  if (bucket_ == 0) throw UsageError("the context bucket is 0 tokens, allowed is at least 1");
}

// A context grows by less than a bucket, and not beyond the longest sequence.
std::uint32_t IterationMemo::extra_blocks(const ServingLimits& limits,
                                          std::uint32_t context_bucket_tokens) {
  const std::uint32_t most = std::min(context_bucket_tokens - 1, limits.max_model_tokens);
  return limits.max_sequences * ((most + limits.block_tokens - 1) / limits.block_tokens);
}

std::uint32_t IterationMemo::rounded_context(const BatchSequence& sequence) const {
  const std::uint64_t context = sequence.context_tokens;
  const std::uint64_t rounded = (context + bucket_ - 1) / bucket_ * bucket_;
  const std::uint64_t longest = limits_.max_model_tokens - std::uint64_t{sequence.new_tokens};
  return static_cast<std::uint32_t>(std::min(rounded, std::max(longest, context)));
}

Fs IterationMemo::operator()(const Batch& batch) {
  Batch rounded = batch;
  for (BatchSequence& sequence : rounded) sequence.context_tokens = rounded_context(sequence);
  const auto key_of = [](const BatchSequence& sequence) {
    return std::make_tuple(sequence.new_tokens, sequence.context_tokens, sequence.emits);
  };
  std::stable_sort(rounded.begin(), rounded.end(),
                   [&](const auto& a, const auto& b) { return key_of(a) > key_of(b); });
  Key key;
  for (const BatchSequence& sequence : rounded) key.push_back(key_of(sequence));
  if (const auto found = times_.find(key); found != times_.end()) {
    ++hits_;
    return found->second;
  }
  std::vector<BlockTable> tables;
  tables.reserve(rounded.size());  // its elements are pointed to
  std::uint32_t extra = limits_.blocks;
  for (BatchSequence& sequence : rounded) {
    BlockTable& table = tables.emplace_back(*sequence.blocks);
    const std::uint64_t tokens = std::uint64_t{sequence.context_tokens} + sequence.new_tokens;
    while (table.size() * limits_.block_tokens < tokens) table.push_back(extra++);
    sequence.blocks = &table;
  }
  return times_.emplace(std::move(key), simulate_(rounded)).first->second;
}

}  // namespace kernbench::serving
