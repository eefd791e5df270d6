// rmsnorm-rotary and split-k-gemm: right in each form, also where nothing divides, and no slower
// than their detours.
#include "tests/benches/timed_forms.h"

using namespace kernbench;
using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(rotary_split_k_test)

namespace {

const std::vector<const char*> floats{"f16", "bf16", "f32"}, all{"f16", "bf16", "f32", "i8", "i32"};

}  // namespace

// --- rmsnorm-rotary

BOOST_AUTO_TEST_CASE(rmsnorm_rotary_is_right_for_odd_extents_in_both_forms) {
  for (const char* form : {"blocks", "detour"}) {
    for (const char* pairs : {"half", "interleaved"}) {
      const Parameters chosen{{"form", form}, {"pairs", pairs}};
      expect_right("rmsnorm-rotary", chosen, 256 * 1024);
      for (const char* dtype : floats) {
        const Parameters typed = with(chosen, {{"dtype", dtype}});
        expect_right("rmsnorm-rotary", with(typed, {{"tokens", "1"}, {"heads", "1"}, {"d", "2"}}),
                     2);
        expect_right("rmsnorm-rotary", with(typed, {{"tokens", "53"}, {"heads", "3"}, {"d", "74"}}),
                     53 * 3 * 74);
      }
      // 8 KiB of f32 in a row: four rows in a block, 13 on the first PE and 12 on the others.
      expect_right("rmsnorm-rotary",
                   with(chosen, {{"tokens", "37"}, {"heads", "8"}, {"d", "256"}, {"pes", "3"}}),
                   37 * 8 * 256);
      // One head: in the detour tables and permutation take more of the scratch than x.
      expect_right("rmsnorm-rotary",
                   with(chosen, {{"tokens", "257"}, {"heads", "1"}, {"d", "256"}, {"pes", "1"}}),
                   257 * 256);
    }
  }
}

BOOST_AUTO_TEST_CASE(rmsnorm_rotary_is_right_on_the_default_machine) {
  expect_right("rmsnorm-rotary", {}, 256 * 1024, on_16_cubes());
  expect_right("rmsnorm-rotary", {{"tokens", "11"}, {"heads", "5"}, {"d", "6"}}, 11 * 5 * 6,
               on_16_cubes());
}

BOOST_AUTO_TEST_CASE(rmsnorm_rotary_of_heads_that_are_no_pairs_is_wrong_usage) {
  check_contains(failure_of("rmsnorm-rotary", {{"d", "37"}}),
                 {"usage: rmsnorm-rotary: d is 37: heads are made of pairs"});
}

BOOST_AUTO_TEST_CASE(rmsnorm_rotary_takes_less_time_than_its_detour) {
  for (const char* pairs : {"half", "interleaved"}) {
    for (const char* d : {"128", "64"})
      BOOST_TEST(gain("rmsnorm-rotary", {{"pairs", pairs}, {"d", d}}) > 1.5);
    BOOST_TEST(gain("rmsnorm-rotary",
                    {{"pairs", pairs}, {"tokens", "53"}, {"heads", "3"}, {"d", "74"}}) >= 1);
  }
}

// --- split-k-gemm

BOOST_AUTO_TEST_CASE(split_k_gemm_is_right_for_odd_extents_in_every_form_and_dtype) {
  for (const char* form : {"blocks", "composite", "atomics", "detour"}) {
    expect_right("split-k-gemm", {{"form", form}}, 32 * 128);
    for (const char* dtype : all) {
      const Parameters chosen{{"form", form}, {"dtype", dtype}};
      expect_right("split-k-gemm", with(chosen, {{"M", "1"}, {"N", "1"}, {"K", "1"}}), 1);
      expect_right("split-k-gemm",
                   with(chosen, {{"M", "5"}, {"N", "7"}, {"K", "1003"}, {"block_k", "33"}}), 5 * 7);
    }
    // Fewer elements of the result than PEs, and fewer rows of it.
    expect_right("split-k-gemm", {{"form", form}, {"M", "1"}, {"N", "3"}, {"K", "500"}}, 3);
    expect_right("split-k-gemm", {{"form", form}, {"M", "3"}, {"N", "11"}, {"K", "77"}}, 33);
  }
}

BOOST_AUTO_TEST_CASE(split_k_gemm_takes_a_in_panels_of_several_blocks) {
  // 16 rows of f32: 128 KiB are 2048 columns, 15 blocks of 130. 4001 columns: two whole panels and
  // a block.
  expect_right(
      "split-k-gemm",
      {{"M", "16"}, {"N", "3"}, {"K", "4001"}, {"pes", "1"}, {"dtype", "f32"}, {"block_k", "130"}},
      16 * 3);
}

BOOST_AUTO_TEST_CASE(split_k_gemm_is_right_on_the_default_machine) {
  expect_right("split-k-gemm", {}, 32 * 128, on_16_cubes());
  expect_right("split-k-gemm", {{"M", "3"}, {"N", "5"}, {"K", "777"}, {"pes", "7"}}, 3 * 5,
               on_16_cubes());
}

BOOST_AUTO_TEST_CASE(split_k_gemm_gives_each_pe_its_part_of_k_and_of_the_sums) {
  forked([] {
    const auto outcome = run_bench("split-k-gemm", {});
    // 1024 columns and rows on each of 8 PEs: one panel of a, 8 blocks of b, and as many products;
    // then seven messages, each added, and a chunk of the result.
    BOOST_TEST(count(outcome.op_log, ",dma_read,") == 8U * (1 + 8));
    BOOST_TEST(count(outcome.op_log, ",gemm_f16,") == 8U * 8);
    BOOST_TEST(count(outcome.op_log, ",ipcq_send,") == 8U * 7);
    BOOST_TEST(count(outcome.op_log, ",add,") == 8U * 7);
    BOOST_TEST(count(outcome.op_log, ",dma_write,") == 8U);
  });
}

BOOST_AUTO_TEST_CASE(split_k_gemm_by_atomics_adds_in_memory_and_sends_nothing) {
  forked([] {
    const auto outcome = run_bench("split-k-gemm", {{"form", "atomics"}});
    BOOST_TEST(count(outcome.op_log, ",atomic_add,") == 8U);
    BOOST_TEST(count(outcome.op_log, ",gemm_f16,") == 8U * 8);
    BOOST_TEST(count(outcome.op_log, ",ipcq_send,") == 0U);
    BOOST_TEST(count(outcome.op_log, ",add,") == 0U);
    BOOST_TEST(count(outcome.op_log, ",dma_write,") == 0U);
  });
}

// Sums of 40000 products are rounded; those of f16 are kept in f32, too.
BOOST_AUTO_TEST_CASE(split_k_gemm_by_atomics_is_right_where_sums_are_rounded) {
  for (const char* dtype : {"f16", "f32"})
    expect_right("split-k-gemm",
                 {{"form", "atomics"}, {"dtype", dtype}, {"M", "3"}, {"N", "5"}, {"K", "40000"}},
                 3 * 5);
}

BOOST_AUTO_TEST_CASE(split_k_gemm_takes_less_time_than_its_detour) {
  BOOST_TEST(gain("split-k-gemm", {}) > 1.5);
  BOOST_TEST(gain("split-k-gemm", {{"M", "5"}, {"N", "7"}, {"K", "1003"}, {"block_k", "33"}}) >= 1);
  BOOST_TEST(gain("split-k-gemm", {{"K", "32768"}, {"N", "64"}, {"dtype", "i8"}}) >= 1);
}

BOOST_AUTO_TEST_CASE(the_guide_has_the_times_of_split_k_gemm) {
  const std::string row = "| `split-k-gemm` | blocks | {32, 8192} x {8192, 128} f16, 8 PEs | ";
  expect_in_guide(time_of("split-k-gemm", {}), row, row + "{} ns |");
  for (const std::string form : {"composite", "atomics", "detour"})
    expect_in_guide(time_of("split-k-gemm", {{"form", form}}), row,
                    "| | " + form + " | the same | {} ns |");
}

BOOST_AUTO_TEST_CASE(split_k_gemm_is_faster_on_more_pes) {
  const Fs one = time_of("split-k-gemm", {{"pes", "1"}}), eight = time_of("split-k-gemm", {});
  BOOST_TEST(one > 5 * eight, one << " and " << eight);  // the messages are the rest of 8 times
  BOOST_TEST(one < 8 * eight, one << " and " << eight);
}

BOOST_AUTO_TEST_SUITE_END()
