// Properties of continuous batching (spec 7), for any requests that can be served.
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>

#include "sw/serving/serving_metrics.h"
#include "tests/serving/serving_cases.h"

using namespace kernbench;
using namespace kernbench::serving;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(scheduler_property_test)

namespace {

template <class T>
T any(T low, T high) {  // inclusive
  return *rc::gen::inRange<T>(low, high + 1);
}

std::vector<Request> any_requests() {
  std::vector<Request> requests(any<std::size_t>(1, 20));
  std::uint64_t arrival_ns = 0;
  for (Request& request : requests) {
    arrival_ns += any<std::uint64_t>(0, 1) * any<std::uint64_t>(0, 40);
    request = request_at(arrival_ns, any(1U, 40U), any(1U, 20U));
  }
  return requests;
}

// The cache holds the longest of these requests and up to 40 more tokens: preemptions are common.
ServingLimits any_limits(const std::vector<Request>& requests) {
  std::uint32_t longest = 0;
  for (const Request& request : requests)
    longest = std::max(longest, request.prompt_tokens + request.output_tokens);
  ServingLimits limits;
  limits.block_tokens = any(1U, 8U);
  limits.blocks = (longest + any(0U, 40U)) / limits.block_tokens + 1;
  limits.max_sequences = any(1U, 8U);
  limits.chunked_prefill = any(0, 1) == 1;
  const std::uint32_t least = limits.chunked_prefill ? 1 : longest;
  limits.max_batched_tokens = std::max(limits.max_sequences, least) + any(0U, 30U);
  return limits;
}

std::uint64_t new_tokens(const Batch& batch) {
  return std::accumulate(
      batch.begin(), batch.end(), std::uint64_t{0},
      [](std::uint64_t sum, const BatchSequence& part) { return sum + part.new_tokens; });
}

// Blocks of all sequences exist, are as many as their tokens need, and have one owner.
void check_blocks(const Batch& batch, const ServingLimits& limits) {
  std::set<std::uint32_t> owned;
  for (const BatchSequence& part : batch) {
    const std::uint32_t tokens = part.context_tokens + part.new_tokens;
    RC_ASSERT(part.blocks->size() == (tokens + limits.block_tokens - 1) / limits.block_tokens);
    for (const std::uint32_t block : *part.blocks) {
      RC_ASSERT(block < limits.blocks);
      RC_ASSERT(owned.insert(block).second);
    }
  }
}

// A time that depends on the batch as a set.
Fs time_of(const Batch& batch) {
  Fs time = 10;
  for (const BatchSequence& part : batch) time += 3 * part.new_tokens + part.context_tokens;
  return time * fs_per_ns;
}

}  // namespace

RC_BOOST_PROP(every_request_finishes_with_its_tokens, ()) {
  const auto requests = any_requests();
  const ServingRun run = serve(requests, any_limits(requests), time_of);
  std::uint64_t finished = 0;
  for (const IterationRecord& row : run.iterations) finished += row.finished;
  RC_ASSERT(finished == requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::vector<Fs>& times = run.records[i].token_times;
    RC_ASSERT(times.size() == requests[i].output_tokens);
    RC_ASSERT(run.records[i].first_scheduled >= requests[i].arrival);
    RC_ASSERT(times.front() > run.records[i].first_scheduled);
    for (std::size_t t = 1; t < times.size(); ++t) RC_ASSERT(times[t] > times[t - 1]);
  }
}

RC_BOOST_PROP(batches_keep_to_budget_sequences_and_blocks, ()) {
  const auto requests = any_requests();
  const ServingLimits limits = any_limits(requests);
  serve(requests, limits, [&](const Batch& batch) {
    RC_ASSERT(!batch.empty());
    RC_ASSERT(batch.size() <= limits.max_sequences);
    RC_ASSERT(new_tokens(batch) <= limits.max_batched_tokens);
    check_blocks(batch, limits);
    return time_of(batch);
  });
}

// Every token of a request but its last is computed once, and again when a preemption has lost it.
RC_BOOST_PROP(computed_tokens_are_those_of_the_requests_and_the_recomputed_ones, ()) {
  const auto requests = any_requests();
  const ServingRun run = serve(requests, any_limits(requests), time_of);
  std::uint64_t computed = 0, needed = 0, preemptions = 0;
  for (const IterationRecord& row : run.iterations) {
    computed += row.prefill_tokens + row.decode_tokens;
    preemptions += row.preemptions;
  }
  for (const Request& request : requests)
    needed += request.prompt_tokens + request.output_tokens - 1;
  RC_ASSERT(computed == needed + run.recomputed_tokens);
  RC_ASSERT(preemptions == metrics_of(run).preemptions);
}

RC_BOOST_PROP(all_blocks_are_free_at_the_end, ()) {
  const auto requests = any_requests();
  const ServingLimits limits = any_limits(requests);
  Scheduler scheduler(limits, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) scheduler.arrive(i);
  std::size_t iterations = 0;
  while (!scheduler.schedule().empty()) {
    RC_ASSERT(scheduler.used_blocks() <= limits.blocks);
    scheduler.complete();
    RC_ASSERT(++iterations < 100'000U);
  }
  RC_ASSERT(scheduler.waiting() == 0U);
  RC_ASSERT(scheduler.running() == 0U);
  RC_ASSERT(scheduler.used_blocks() == 0U);
}

RC_BOOST_PROP(requests_are_first_scheduled_in_order_of_arrival, ()) {
  const auto requests = any_requests();
  const ServingRun run = serve(requests, any_limits(requests), time_of);
  for (std::size_t i = 1; i < requests.size(); ++i)
    RC_ASSERT(run.records[i - 1].first_scheduled <= run.records[i].first_scheduled);
}

// With room for all, a batch is a set; the order of the trace decides only who waits.
RC_BOOST_PROP(with_room_for_all_the_order_of_simultaneous_arrivals_changes_no_metric, ()) {
  auto requests = any_requests();
  for (Request& request : requests)
    request.arrival = request.arrival / (50 * fs_per_ns) * 50 * fs_per_ns;
  const auto metrics_of_trace = [](const std::vector<Request>& trace) {
    return metrics_table(serve(trace, {}, time_of));
  };
  const ResultTable before = metrics_of_trace(requests);
  // Reversed among those of one arrival.
  std::reverse(requests.begin(), requests.end());
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.arrival < b.arrival; });
  const ResultTable after = metrics_of_trace(requests);
  RC_ASSERT(before.rows() == after.rows());
  for (std::size_t i = 0; i < before.summaries().size(); ++i)
    RC_ASSERT(before.summaries()[i].value == after.summaries()[i].value);
}

BOOST_AUTO_TEST_SUITE_END()
