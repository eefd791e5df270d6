// Scheduler: continuous batching of an LLM server with a paged KV cache, one iteration of the model
// at a time (spec 7). Policy of vLLM's v1 scheduler: running sequences first, then waiting ones in
// order of arrival, within a budget of tokens. Prefill and decode are the same: a sequence computes
// the tokens that it has and that are not in the cache.
//
// Not modelled: prefix caching, speculative decoding, priorities, host time of the scheduler,
// scheduling concurrently with the preceding iteration.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sw/serving/request_trace.h"

namespace kernbench::serving {

// Names in parentheses are those of vLLM.
struct ServingLimits {
  std::uint32_t max_batched_tokens = 2048;  // new tokens per iteration (max_num_batched_tokens)
  std::uint32_t max_sequences = 128;        // running sequences (max_num_seqs)
  bool chunked_prefill = true;              // a prompt may be split over iterations
  std::uint32_t block_tokens = 16;          // tokens of a block of the KV cache (block_size)
  std::uint32_t blocks = 1024;              // blocks of the KV cache
  std::uint32_t max_model_tokens = 8192;    // prompt and output (max_model_len)
  std::uint32_t max_waiting = 4096;         // requests in the queue; more end the run with an error
};

// UsageError with the numbers if a limit is 0, if max_batched_tokens is below max_sequences, or if
// a request can never be served: prompt and output exceed the model or the whole KV cache, or,
// without chunked prefill, a recomputation of the request exceeds the token budget.
void check_limits(const ServingLimits& limits, const std::vector<Request>& requests);

// Physical blocks of a sequence, by position / block_tokens.
using BlockTable = std::vector<std::uint32_t>;

struct BatchSequence {
  std::size_t request = 0;             // index in the trace
  std::uint32_t new_tokens = 0;        // tokens to compute in this iteration
  std::uint32_t context_tokens = 0;    // tokens in the cache before it
  bool emits = false;                  // the last new token yields an output token
  const BlockTable* blocks = nullptr;  // hold context and new tokens; valid until complete()

  // One token after a context. Also the last token of a prompt, if it is left alone.
  bool is_decode() const { return new_tokens == 1 && context_tokens > 0; }
};
using Batch = std::vector<BatchSequence>;

// Blocks of the KV cache. The block that was freed first is allocated first.
class KvBlockPool {
 public:
  explicit KvBlockPool(std::uint32_t blocks);
  // Extends the table to `size` blocks, or returns false and changes nothing.
  bool grow(BlockTable& table, std::size_t size);
  // The last block of the table is freed first.
  void free(BlockTable& table);
  std::size_t available() const { return free_.size(); }
  std::uint32_t used() const { return blocks_ - static_cast<std::uint32_t>(free_.size()); }

 private:
  std::uint32_t blocks_;
  std::deque<std::uint32_t> free_;
};

class Scheduler {
 public:
  // The requests have passed check_limits() and outlive the scheduler.
  Scheduler(const ServingLimits& limits, const std::vector<Request>& requests);

  // Appends a request to the queue. Requests arrive in the order of the trace.
  void arrive(std::size_t request) { waiting_.push_back(request); }
  // Batch of the next iteration; empty if no request is in the system. A waiting sequence is
  // admitted when the free blocks hold all its tokens, although it allocates those of its chunk
  // alone (vLLM's scheduler_reserve_full_isl). If blocks run out, the running sequence that arrived
  // last is preempted: its blocks are freed, it returns to the front of the queue, and no waiting
  // request is admitted in this iteration. It later recomputes its prompt and the tokens that it
  // has generated.
  const Batch& schedule();
  // Ends the iteration of the last batch: emitting sequences have one more token, finished ones
  // leave and free their blocks.
  void complete();

  // Requests that the last schedule() admitted or preempted, and tokens that the latter lost.
  const std::vector<std::size_t>& admitted() const { return admitted_; }
  const std::vector<std::size_t>& preempted() const { return preempted_; }
  std::uint64_t lost_tokens() const { return lost_tokens_; }

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_.size(); }
  std::uint32_t used_blocks() const { return pool_.used(); }

 private:
  struct Sequence {
    std::uint32_t generated = 0;
    std::uint32_t computed = 0;  // tokens in the cache
    BlockTable blocks;
  };

  std::uint32_t tokens_to_compute(std::size_t request) const;
  void schedule_running();
  void admit_waiting();
  bool reserve(std::size_t request, std::uint32_t new_tokens);
  bool reserve_by_preemption(std::size_t request, std::uint32_t new_tokens);
  void preempt_last();
  void add_to_batch(std::size_t request, std::uint32_t new_tokens);

  const ServingLimits limits_;
  const std::vector<Request>& requests_;
  std::vector<Sequence> sequences_;   // one per request
  std::deque<std::size_t> waiting_;   // requests, in order of arrival
  std::vector<std::size_t> running_;  // all arrived before those of waiting_, in the same order
  KvBlockPool pool_;
  std::uint32_t budget_ = 0;  // tokens left in the iteration
  Batch batch_;
  std::vector<std::size_t> admitted_, preempted_;
  std::uint64_t lost_tokens_ = 0;
};

}  // namespace kernbench::serving
