// Memoisation of iteration times by the shape of the batch (spec 7).
#include "sw/serving/iteration_memo.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"
#include "tests/serving/serving_cases.h"
#include "tests/support/error_text.h"

using namespace kernbench;
using namespace kernbench::serving;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(iteration_memo_test)

namespace {

ServingLimits small_blocks() {
  ServingLimits limits;
  limits.block_tokens = 4;
  limits.max_model_tokens = 40;
  return limits;
}

// A memo with a bucket of 16 tokens, and the batches that it has simulated.
struct Memo {
  std::vector<Batch> batches;
  std::vector<BlockTable> tables;  // of the last batch
  IterationMemo memo{[this](const Batch& batch) {
                       batches.push_back(batch);
                       tables.clear();
                       for (const BatchSequence& part : batch) tables.push_back(*part.blocks);
                       return Fs{100 * batches.size()};
                     },
                     small_blocks(), 16};
};

}  // namespace

BOOST_AUTO_TEST_CASE(batches_of_one_shape_are_simulated_once) {
  Memo m;
  const BlockTable a{7, 3, 5}, b{1, 2, 4, 6, 8};
  // Contexts of 9 and 16 both round to 16, 17 to 32.
  BOOST_TEST(m.memo({{0, 1, 9, true, &a}, {1, 1, 17, true, &b}}) == 100U);
  BOOST_TEST(m.memo({{3, 1, 18, true, &b}, {2, 1, 16, true, &b}}) == 100U);  // another order
  BOOST_TEST(m.memo.hits() == 1U);
  BOOST_TEST(m.memo.misses() == 1U);
  // Different: number of sequences, new tokens, no context, no output token.
  BOOST_TEST(m.memo({{0, 1, 9, true, &a}}) == 200U);
  BOOST_TEST(m.memo({{0, 2, 9, true, &a}}) == 300U);
  BOOST_TEST(m.memo({{0, 1, 0, true, &a}}) == 400U);
  BOOST_TEST(m.memo({{0, 1, 9, false, &a}}) == 500U);
  BOOST_TEST(m.memo({{0, 1, 1, true, &a}}) == 200U);
  BOOST_TEST(m.memo.hits() == 2U);
  BOOST_TEST(m.memo.misses() == 5U);
}

// Context 9 -> 16, with the new token 17 tokens: 5 blocks of 4, two of them
// beyond the 1024 of the scheduler. Context 33
// would round to 48; 40 tokens are the longest sequence, of which one is new: 39.
BOOST_AUTO_TEST_CASE(the_simulated_batch_has_the_rounded_contexts) {
  Memo m;
  const BlockTable a{7, 3, 5}, b{1, 2, 4, 6, 8, 9, 10, 11, 12};
  m.memo({{0, 1, 9, true, &a}, {1, 1, 33, true, &b}, {2, 6, 0, true, &a}});
  const Batch& batch = m.batches.at(0);
  BOOST_TEST(batch[0].request == 2U);  // most new tokens first, then the longest context
  BOOST_TEST(batch[0].context_tokens == 0U);
  BOOST_TEST(batch[1].request == 1U);
  BOOST_TEST(batch[1].context_tokens == 39U);
  BOOST_TEST(batch[2].context_tokens == 16U);
  BOOST_TEST(m.tables[0] == a);
  BOOST_TEST(m.tables[1] == (BlockTable{1, 2, 4, 6, 8, 9, 10, 11, 12, 1024}));
  BOOST_TEST(m.tables[2] == (BlockTable{7, 3, 5, 1025, 1026}));
}

// Requests of 8 + 20 tokens, alone in the server: a prompt of one shape, and 19 decodes with
// contexts of 8 to 26, which round to 16 and 32.
BOOST_AUTO_TEST_CASE(a_run_simulates_each_shape_once) {
  ServingLimits limits;
  limits.max_sequences = 1;
  IterationMemo memo([](const Batch& batch) { return 1000 + batch.front().context_tokens; }, limits,
                     16);
  const ServingRun run =
      serve(std::vector<Request>(40, request_at(0, 8, 20)), limits, std::ref(memo));
  BOOST_TEST(run.iterations.size() == 40U * 20);
  BOOST_TEST(memo.misses() == 3U);
  BOOST_TEST(memo.hits() == 40U * 20 - 3);
}

// A context of 1 grows by 15 tokens, which are up to 4 blocks of 4.
BOOST_AUTO_TEST_CASE(rounded_contexts_need_extra_blocks_of_each_sequence) {
  BOOST_TEST(IterationMemo::extra_blocks(small_blocks(), 16) == 128U * 4);
  BOOST_TEST(IterationMemo::extra_blocks(small_blocks(), 1) == 0U);
}

BOOST_AUTO_TEST_CASE(a_bucket_has_tokens) {
  BOOST_CHECK_EXCEPTION(IterationMemo(ten_ns, {}, 0), UsageError,
                        with_text<UsageError>("the context bucket is 0 tokens"));
}

BOOST_AUTO_TEST_SUITE_END()
