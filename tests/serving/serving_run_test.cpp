// Serving runs whose iterations are derived by hand (spec 7): batching, budget of tokens, chunked
// prefill, admission, preemption. Every iteration takes 10 ns.
#include "sw/serving/serving_run.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/serving/serving_cases.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::serving;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(serving_run_test)

namespace {

using Column = std::vector<std::uint32_t>;

}  // namespace

// Iterations: [0, 10) prompt of r0; [10, 20) r0 decodes, r1 arrives at 15; [20, 30) r0 decodes its
// last token with the prompt of r1; [30, 40) r1 decodes.
BOOST_AUTO_TEST_CASE(a_request_joins_the_batch_at_the_iteration_after_its_arrival) {
  const ServingRun run = serve({request_at(0, 4, 3), request_at(15, 5, 2)}, {}, ten_ns);
  BOOST_TEST(run.records[0].token_times == times_ns({10, 20, 30}));
  BOOST_TEST(run.records[1].token_times == times_ns({30, 40}));
  BOOST_TEST(run.records[1].first_scheduled == 20 * fs_per_ns);
  BOOST_TEST(run.records[1].waited == 5 * fs_per_ns);
  BOOST_TEST(column(run, &IterationRecord::sequences) == (Column{1, 1, 2, 1}));
  BOOST_TEST(column(run, &IterationRecord::prefill_tokens) == (Column{4, 0, 5, 0}));
  BOOST_TEST(column(run, &IterationRecord::decode_tokens) == (Column{0, 1, 1, 1}));
  BOOST_TEST(column(run, &IterationRecord::finished) == (Column{0, 0, 1, 1}));
}

// A server with one place and a service of two iterations: request i starts at 20 i.
BOOST_AUTO_TEST_CASE(max_sequences_queues_requests_in_order_of_arrival) {
  ServingLimits limits;
  limits.max_sequences = 1;
  const ServingRun run =
      serve({request_at(0, 1, 2), request_at(0, 1, 2), request_at(0, 1, 2)}, limits, ten_ns);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(run.records[i].first_scheduled == 20 * i * fs_per_ns);
    BOOST_TEST(run.records[i].waited == 20 * i * fs_per_ns);
    BOOST_TEST(run.records[i].token_times == times_ns({20 * i + 10, 20 * i + 20}));
  }
  BOOST_TEST(column(run, &IterationRecord::waiting) == (Column{2, 2, 1, 1, 0, 0}));
  BOOST_TEST(run.peak_waiting == 3U);
}

BOOST_AUTO_TEST_CASE(the_clock_skips_times_without_a_request) {
  const ServingRun run = serve({request_at(100, 1, 1), request_at(1000, 1, 1)}, {}, ten_ns);
  BOOST_TEST(run.iterations.size() == 2U);
  BOOST_TEST(run.records[0].token_times == times_ns({110}));
  BOOST_TEST(run.records[1].token_times == times_ns({1010}));
}

// Budget 8. r0: 4 prompt tokens, then 1 per iteration. r1 has what is left: 4 + 7 + 7 + 2 = 20.
BOOST_AUTO_TEST_CASE(chunked_prefill_fills_the_budget_that_decodes_leave) {
  ServingLimits limits;
  limits.max_batched_tokens = 8;
  limits.max_sequences = 4;
  const ServingRun run = serve({request_at(0, 4, 3), request_at(0, 20, 1)}, limits, ten_ns);
  BOOST_TEST(column(run, &IterationRecord::prefill_tokens) == (Column{8, 7, 7, 2}));
  BOOST_TEST(column(run, &IterationRecord::decode_tokens) == (Column{0, 1, 1, 0}));
  BOOST_TEST(run.records[0].token_times == times_ns({10, 20, 30}));
  BOOST_TEST(run.records[1].token_times == times_ns({40}));
}

// Budget 22: after the 4 of r0, 18 are left, less than the 20 of r1, which therefore also delays
// r2; then 21 and, after r1, 1 for r2.
BOOST_AUTO_TEST_CASE(without_chunked_prefill_a_prompt_is_computed_in_one_iteration) {
  ServingLimits limits;
  limits.max_batched_tokens = 22;
  limits.max_sequences = 4;
  limits.chunked_prefill = false;
  const ServingRun run =
      serve({request_at(0, 4, 3), request_at(0, 20, 1), request_at(0, 1, 1)}, limits, ten_ns);
  BOOST_TEST(column(run, &IterationRecord::prefill_tokens) == (Column{4, 21, 0}));
  BOOST_TEST(column(run, &IterationRecord::decode_tokens) == (Column{0, 1, 1}));
  BOOST_TEST(run.records[1].token_times == times_ns({20}));
  BOOST_TEST(run.records[2].token_times == times_ns({20}));
}

// Five blocks of two tokens, budget 4. At 10 ns r0 has 3 blocks and the budget leaves 3 tokens.
// They would fit in the 2 free blocks, but the 8 prompt tokens of r1 take 4: it waits until r0
// ends.
BOOST_AUTO_TEST_CASE(a_request_is_admitted_when_the_cache_holds_all_its_tokens) {
  ServingLimits limits;
  limits.max_batched_tokens = 4;
  limits.max_sequences = 4;
  limits.block_tokens = 2;
  limits.blocks = 5;
  const ServingRun run = serve({request_at(0, 4, 4), request_at(0, 8, 1)}, limits, ten_ns);
  BOOST_TEST(run.records[0].token_times == times_ns({10, 20, 30, 40}));
  BOOST_TEST(run.records[1].first_scheduled == 40 * fs_per_ns);
  BOOST_TEST(run.records[1].token_times == times_ns({60}));
  BOOST_TEST(column(run, &IterationRecord::used_blocks) == (Column{2, 3, 3, 4, 2, 4}));
}

// Five blocks of two tokens. Both prompts take 2 blocks. At 10 ns r0 takes the fifth for its fifth
// token, and r1 needs one, too: it is the last, so it preempts itself and loses 4 tokens. It has to
// recompute 4 + 1 tokens, 3 blocks, when 2 (at 20 ns) and 1 (at 30 ns) are free: it waits until
// r0 ends at 40 ns.
BOOST_AUTO_TEST_CASE(the_last_sequence_is_preempted_and_recomputes_its_tokens) {
  ServingLimits limits;
  limits.block_tokens = 2;
  limits.blocks = 5;
  const ServingRun run = serve({request_at(0, 4, 4), request_at(0, 4, 4)}, limits, ten_ns);
  BOOST_TEST(run.records[0].token_times == times_ns({10, 20, 30, 40}));
  BOOST_TEST(run.records[1].token_times == times_ns({10, 50, 60, 70}));
  BOOST_TEST(run.records[0].preemptions == 0U);
  BOOST_TEST(run.records[1].preemptions == 1U);
  BOOST_TEST(run.records[1].waited == 30 * fs_per_ns);
  BOOST_TEST(run.records[1].first_scheduled == 0U);
  BOOST_TEST(run.recomputed_tokens == 4U);
  BOOST_TEST(column(run, &IterationRecord::used_blocks) == (Column{4, 3, 3, 4, 3, 3, 4}));
  BOOST_TEST(column(run, &IterationRecord::waiting) == (Column{0, 1, 1, 1, 0, 0, 0}));
  BOOST_TEST(column(run, &IterationRecord::preemptions) == (Column{0, 1, 0, 0, 0, 0, 0}));
  BOOST_TEST(column(run, &IterationRecord::prefill_tokens) == (Column{8, 0, 0, 0, 5, 0, 0}));
}

// Four blocks of two tokens: {0, 1} of r0, {2, 3} of r1. The fifth token of r0 preempts r1, which
// frees its last block first, so 3 is the next block of r0. r2 has arrived and would fit in the
// block that is left, but an iteration with a preemption admits no request, and later r1 is first.
BOOST_AUTO_TEST_CASE(a_preempted_sequence_is_at_the_front_of_the_queue) {
  ServingLimits limits;
  limits.block_tokens = 2;
  limits.blocks = 4;
  std::vector<BlockTable> tables;  // of r0
  const ServingRun run = serve({request_at(0, 4, 3), request_at(0, 3, 2), request_at(5, 1, 1)},
                               limits, [&](const Batch& batch) {
                                 if (batch.front().request == 0)
                                   tables.push_back(*batch.front().blocks);
                                 return ten_ns(batch);
                               });
  BOOST_TEST(tables[0] == (BlockTable{0, 1}));
  BOOST_TEST(tables[1] == (BlockTable{0, 1, 3}));
  // r1 recomputes 4 tokens, 2 blocks, from 30 ns.
  BOOST_TEST(run.records[0].token_times == times_ns({10, 20, 30}));
  BOOST_TEST(run.records[1].token_times == times_ns({10, 40}));
  BOOST_TEST(run.records[2].first_scheduled == 30 * fs_per_ns);
  BOOST_TEST(run.recomputed_tokens == 3U);
}

BOOST_AUTO_TEST_CASE(requests_that_can_never_be_served_are_an_error_before_the_start) {
  const auto text = [](const Request& request, const ServingLimits& limits) {
    return error_of<UsageError>([&] { check_limits(limits, {request_at(0, 1, 1), request}); });
  };
  ServingLimits limits;
  limits.block_tokens = 4;
  limits.blocks = 5;
  BOOST_TEST(text(request_at(0, 16, 4), limits) == "");
  BOOST_TEST(text(request_at(0, 16, 5), limits) ==
             "request 1 of 2 can never be served: prompt of 16 and output of 5 are 21 tokens, the "
             "KV cache has 20 (5 blocks of 4)");
  int iterations = 0;
  BOOST_CHECK_THROW(serve({request_at(0, 1, 1), request_at(9, 16, 5)}, limits,
                          [&](const Batch&) { return Fs(++iterations); }),
                    UsageError);
  BOOST_TEST(iterations == 0);
  limits.max_model_tokens = 15;
  check_contains(text(request_at(0, 10, 6), limits), {"16 tokens, max_model_tokens is 15"});
  limits.max_batched_tokens = 8;
  limits.max_sequences = 4;
  BOOST_TEST(text(request_at(0, 8, 2), limits) == "");
  limits.chunked_prefill = false;
  // A preemption before the last token recomputes 9 tokens.
  check_contains(text(request_at(0, 8, 2), limits),
                 {"are 10 tokens, without chunked prefill max_batched_tokens, which is 8, has to"});
}

BOOST_AUTO_TEST_CASE(limits_that_admit_no_iteration_are_an_error) {
  const auto text = [](std::uint32_t ServingLimits::*limit) {
    ServingLimits limits;
    limits.*limit = 0;
    return error_of<UsageError>([&] { serve({request_at(0, 1, 1)}, limits, ten_ns); });
  };
  BOOST_TEST(text(&ServingLimits::max_sequences) == "max_sequences is 0, allowed is at least 1");
  BOOST_TEST(text(&ServingLimits::blocks) == "blocks is 0, allowed is at least 1");
  ServingLimits limits;
  limits.max_batched_tokens = 3;
  limits.max_sequences = 4;
  BOOST_TEST(error_of<UsageError>([&] { check_limits(limits, {}); }) ==
             "max_batched_tokens is 3, allowed is at least max_sequences, 4: a token of each");
  BOOST_TEST(error_of<UsageError>([&] { serve({}, {}, ten_ns); }) ==
             "there are no requests to serve, allowed is at least 1");
  BOOST_TEST(error_of<UsageError>([] {
               serve({request_at(5, 1, 1), request_at(4, 1, 1)}, {}, ten_ns);
             }) == "request 1 arrives at 4 ns, before the preceding one, 5 ns");
}

// One request is served per 10 ns, two arrive: at 10 i the requests 0 to 2 i have arrived, i are
// finished, one is scheduled: i wait.
BOOST_AUTO_TEST_CASE(an_overload_ends_the_run_when_the_queue_exceeds_max_waiting) {
  ServingLimits limits;
  limits.max_sequences = 1;
  limits.max_waiting = 6;
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 20; ++i) requests.push_back(request_at(5 * i, 1, 1));
  check_contains(
      error_of<UsageError>([&] { serve(requests, limits, ten_ns); }),
      {"overloaded: at 70 ns 7 requests wait, allowed is max_waiting, 6; of 15 that have "
       "arrived 7 are finished",
       "lower arrival rate"});
  limits.max_waiting = 10;
  BOOST_TEST(serve(requests, limits, ten_ns).iterations.size() == 20U);
}

BOOST_AUTO_TEST_CASE(an_iteration_takes_time) {
  BOOST_CHECK_EXCEPTION(serve({request_at(3, 1, 1)}, {}, [](const Batch&) { return Fs{0}; }),
                        ModelError, with_text<ModelError>("iteration 0 at 3 ns takes 0 ns"));
  BOOST_CHECK_THROW(serve({request_at(3, 1, 1)}, {}, [](const Batch&) { return never_fs; }),
                    ModelError);
}

BOOST_AUTO_TEST_SUITE_END()
