#include "sw/serving/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/base/errors.h"

namespace kernbench::serving {
namespace {

void check_positive(const char* name, std::uint32_t value) {
  if (value == 0) throw UsageError(fmt::format("{} is 0, allowed is at least 1", name));
}

std::size_t blocks_for(std::uint64_t tokens, const ServingLimits& limits) {
  return (tokens + limits.block_tokens - 1) / limits.block_tokens;
}

// Limit that the request exceeds; "" if it can be served.
std::string excess_of(const Request& request, const ServingLimits& limits) {
  const std::uint64_t tokens = std::uint64_t{request.prompt_tokens} + request.output_tokens;
  const std::uint64_t cache = std::uint64_t{limits.blocks} * limits.block_tokens;
  if (tokens > limits.max_model_tokens)
    return fmt::format("max_model_tokens is {}", limits.max_model_tokens);
  if (tokens > cache) {
    return fmt::format("the KV cache has {} ({} blocks of {})", cache, limits.blocks,
                       limits.block_tokens);
  }
  if (!limits.chunked_prefill && tokens - 1 > limits.max_batched_tokens) {
    return fmt::format(
        "without chunked prefill max_batched_tokens, which is {}, has to hold all but the last",
        limits.max_batched_tokens);
  }
  return "";
}

}  // namespace

void check_limits(const ServingLimits& limits, const std::vector<Request>& requests) {
  check_positive("max_batched_tokens", limits.max_batched_tokens);
  check_positive("max_sequences", limits.max_sequences);
  check_positive("block_tokens", limits.block_tokens);
  check_positive("blocks", limits.blocks);
  check_positive("max_model_tokens", limits.max_model_tokens);
  check_positive("max_waiting", limits.max_waiting);
  if (limits.max_batched_tokens < limits.max_sequences) {
    throw UsageError(fmt::format(
        "max_batched_tokens is {}, allowed is at least max_sequences, {}: a token of each",
        limits.max_batched_tokens, limits.max_sequences));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string excess = excess_of(requests[i], limits);
    if (excess.empty()) continue;
    throw UsageError(fmt::format(
        "request {} of {} can never be served: prompt of {} and output of {} are {} tokens, {}", i,
        requests.size(), requests[i].prompt_tokens, requests[i].output_tokens,
        std::uint64_t{requests[i].prompt_tokens} + requests[i].output_tokens, excess));
  }
}

KvBlockPool::KvBlockPool(std::uint32_t blocks) : blocks_(blocks), free_(blocks) {
  std::iota(free_.begin(), free_.end(), 0U);
}

bool KvBlockPool::grow(BlockTable& table, std::size_t size) {
  if (size > table.size() + free_.size()) return false;
  while (table.size() < size) {
    table.push_back(free_.front());
    free_.pop_front();
  }
  return true;
}

void KvBlockPool::free(BlockTable& table) {
  free_.insert(free_.end(), table.rbegin(), table.rend());
  table.clear();
}

Scheduler::Scheduler(const ServingLimits& limits, const std::vector<Request>& requests)
    : limits_(limits), requests_(requests), sequences_(requests.size()), pool_(limits.blocks) {}

const Batch& Scheduler::schedule() {
  batch_.clear();
  admitted_.clear();
  preempted_.clear();
  lost_tokens_ = 0;
  budget_ = limits_.max_batched_tokens;
  schedule_running();
  if (preempted_.empty()) admit_waiting();
  return batch_;
}

void Scheduler::schedule_running() {
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    const std::size_t request = running_[i];
    const std::uint32_t new_tokens = std::min(tokens_to_compute(request), budget_);
    if (!reserve_by_preemption(request, new_tokens)) return;
    add_to_batch(request, new_tokens);
  }
}

void Scheduler::admit_waiting() {
  while (!waiting_.empty() && budget_ > 0 && running_.size() < limits_.max_sequences) {
    const std::size_t request = waiting_.front();
    const std::uint32_t tokens = tokens_to_compute(request);
    if (!limits_.chunked_prefill && tokens > budget_) return;
    if (blocks_for(tokens, limits_) > pool_.available()) return;
    const std::uint32_t new_tokens = std::min(tokens, budget_);
    if (!reserve(request, new_tokens)) return;
    waiting_.pop_front();
    running_.push_back(request);
    admitted_.push_back(request);
    add_to_batch(request, new_tokens);
  }
}

std::uint32_t Scheduler::tokens_to_compute(std::size_t request) const {
  const Sequence& sequence = sequences_[request];
  return requests_[request].prompt_tokens + sequence.generated - sequence.computed;
}

bool Scheduler::reserve(std::size_t request, std::uint32_t new_tokens) {
  Sequence& sequence = sequences_[request];
  return pool_.grow(sequence.blocks,
                    blocks_for(std::uint64_t{sequence.computed} + new_tokens, limits_));
}

// False if the sequence itself had to be preempted.
bool Scheduler::reserve_by_preemption(std::size_t request, std::uint32_t new_tokens) {
  while (!reserve(request, new_tokens)) {
    const bool itself = running_.back() == request;
    preempt_last();
    if (itself) return false;
  }
  return true;
}

void Scheduler::preempt_last() {
  const std::size_t request = running_.back();
  Sequence& sequence = sequences_[request];
  running_.pop_back();
  waiting_.push_front(request);
  preempted_.push_back(request);
  lost_tokens_ += sequence.computed;
  sequence.computed = 0;
  pool_.free(sequence.blocks);
}

void Scheduler::add_to_batch(std::size_t request, std::uint32_t new_tokens) {
  const Sequence& sequence = sequences_[request];
  batch_.push_back({request, new_tokens, sequence.computed,
                    new_tokens == tokens_to_compute(request), &sequence.blocks});
  budget_ -= new_tokens;
}

void Scheduler::complete() {
  for (const BatchSequence& part : batch_) {
    Sequence& sequence = sequences_[part.request];
    sequence.computed += part.new_tokens;
    if (part.emits) ++sequence.generated;
    if (sequence.generated == requests_[part.request].output_tokens) pool_.free(sequence.blocks);
  }
  batch_.clear();
  const auto finished = [this](std::size_t request) {
    return sequences_[request].generated == requests_[request].output_tokens;
  };
  running_.erase(std::remove_if(running_.begin(), running_.end(), finished), running_.end());
}

}  // namespace kernbench::serving
