// int8-gemm and conv3x3: right in each form, also where nothing divides, and no slower than their
// detours.
#include "tests/benches/timed_forms.h"

using namespace kernbench;
using namespace kernbench::test;

// --- int8-gemm

BOOST_AUTO_TEST_SUITE(int8_conv_test)

BOOST_AUTO_TEST_CASE(int8_gemm_is_right_for_odd_extents_in_every_form) {
  for (const char* form : {"blocks", "composite", "detour"}) {
    for (const char* scales : {"channel", "k_group"}) {
      const Parameters chosen{{"form", form}, {"scales", scales}};
      expect_right("int8-gemm", chosen, 128 * 512);
      expect_right("int8-gemm", with(chosen, {{"M", "1"}, {"K", "1"}, {"N", "1"}}), 1);
      expect_right("int8-gemm",
                   with(chosen, {{"M", "37"}, {"K", "301"}, {"N", "53"}, {"block_k", "67"}}),
                   37 * 53);
      // 4001 columns of a: 16 rows in a block, the last of 3. Several blocks of columns on each PE,
      // of which some PEs have one more.
      expect_right(
          "int8-gemm",
          with(chosen, {{"M", "35"}, {"K", "4001"}, {"N", "47"}, {"block_n", "5"}, {"pes", "3"}}),
          35 * 47);
    }
  }
}

// The largest depth whose sums stay within i32: 131071 * 128 * 128 is 2^31 - 2^14.
BOOST_AUTO_TEST_CASE(int8_gemm_is_right_up_to_the_largest_sum) {
  const Parameters deep{{"M", "2"}, {"K", "131071"}, {"N", "3"}, {"block_k", "4096"}};
  for (const char* form : {"blocks", "composite", "detour"})
    expect_right("int8-gemm", with(deep, {{"form", form}}), 2 * 3);
}

BOOST_AUTO_TEST_CASE(int8_gemm_is_right_on_the_default_machine) {
  expect_right("int8-gemm", {}, 128 * 512, on_16_cubes());
  expect_right("int8-gemm", {{"M", "3"}, {"K", "77"}, {"N", "11"}, {"scales", "k_group"}}, 3 * 11,
               on_16_cubes());
}

BOOST_AUTO_TEST_CASE(int8_gemm_adds_in_i32_without_pe_math) {
  forked([] {
    const auto outcome = run_bench("int8-gemm", {});
    // 2 tiles of 64 rows on each of 8 PEs: 8 products each, then two multiplications by scales.
    BOOST_TEST(count(outcome.op_log, ",gemm_i8,") == 8U * 2 * 8);
    BOOST_TEST(count(outcome.op_log, ",mul,") == 8U * 2 * 2);
    BOOST_TEST(count(outcome.op_log, ",dma_write,") == 8U * 2);
  });
}

BOOST_AUTO_TEST_CASE(int8_gemm_takes_less_time_than_its_detour) {
  for (const char* scales : {"channel", "k_group"}) {
    for (const char* form : {"blocks", "composite"}) {
      BOOST_TEST(gain("int8-gemm", {{"scales", scales}}, form) > 1.2);
      BOOST_TEST(gain("int8-gemm", {{"scales", scales}, {"M", "37"}, {"K", "301"}, {"N", "53"}},
                      form) >= 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_guide_has_the_times_of_int8_gemm) {
  const std::string channel = "| `int8-gemm` | blocks | {128, 1024} x {1024, 512} i8",
                    group = "| `int8-gemm` | blocks | the same, `scales=k_group`";
  for (const auto& [scales, heading] : {std::pair{"channel", channel}, {"k_group", group}}) {
    const Parameters given{{"scales", scales}};
    expect_in_guide(time_of("int8-gemm", with(given, {{"form", "composite"}})), heading,
                    "| | composite | the same | {} ns |");
    expect_in_guide(time_of("int8-gemm", with(given, {{"form", "detour"}})), heading,
                    "| | detour | the same | {} ns |");
  }
  expect_in_guide(time_of("int8-gemm", {}), channel, " to f16, 8 PEs | {} ns |");
  expect_in_guide(time_of("int8-gemm", {{"scales", "k_group"}}), group,
                  "`scales=k_group` | {} ns |");
}

// A panel of columns would be short runs at a large pitch: a product of one row takes whole rows of
// b.
BOOST_AUTO_TEST_CASE(int8_gemm_of_one_row_is_bound_by_the_hbm) {
  const Parameters decode{{"M", "1"}, {"K", "2048"}, {"N", "4096"}};
  BOOST_TEST(gain("int8-gemm", decode) >= 1);
  const Fs bytes_alone = 2048 * 512 * fs_per_ns / 256;  // of a PE, at 256 GB/s
  BOOST_TEST(time_of("int8-gemm", decode) < bytes_alone * 1.15);
}

// --- conv3x3

BOOST_AUTO_TEST_CASE(conv3x3_is_right_for_odd_extents_in_both_forms) {
  for (const char* form : {"blocks", "detour"}) {
    const Parameters chosen{{"form", form}};
    expect_right("conv3x3", chosen, 32 * 32 * 64);
    for (const char* dtype : {"f16", "bf16", "f32"}) {
      const Parameters typed = with(chosen, {{"dtype", dtype}});
      expect_right(
          "conv3x3",
          with(typed, {{"height", "1"}, {"width", "1"}, {"channels", "1"}, {"filters", "1"}}), 1);
      // Blocks that divide neither rows, nor columns, nor filters; PEs with 5 rows and with 4.
      expect_right("conv3x3",
                   with(typed, {{"height", "13"},
                                {"width", "11"},
                                {"channels", "5"},
                                {"filters", "7"},
                                {"block_h", "3"},
                                {"block_w", "4"},
                                {"block_f", "3"},
                                {"pes", "3"}}),
                   13 * 11 * 7);
    }
  }
}

// A single row or column, all of whose neighbours above and below, or left and right, are padding.
BOOST_AUTO_TEST_CASE(conv3x3_pads_images_of_one_row_or_column) {
  for (const char* form : {"blocks", "detour"}) {
    const Parameters small{{"form", form}, {"channels", "3"}, {"filters", "2"}};
    expect_right("conv3x3", with(small, {{"height", "1"}, {"width", "19"}}), 19 * 2);
    expect_right("conv3x3", with(small, {{"height", "19"}, {"width", "1"}}), 19 * 2);
  }
}

BOOST_AUTO_TEST_CASE(conv3x3_is_right_on_the_default_machine) {
  expect_right("conv3x3", {}, 32 * 32 * 64, on_16_cubes());
  expect_right("conv3x3", {{"height", "9"}, {"width", "7"}, {"channels", "3"}, {"filters", "5"}},
               9 * 7 * 5, on_16_cubes());
}

BOOST_AUTO_TEST_CASE(conv3x3_loads_each_block_of_pixels_once) {
  forked([] {
    const auto outcome = run_bench("conv3x3", {});
    // 4 rows on each of 8 PEs, two at a time: a load, nine products, one rounding and one store for
    // each block; and the taps, three at a time.
    BOOST_TEST(count(outcome.op_log, ",dma_read,") == 8U * (3 + 2));
    BOOST_TEST(count(outcome.op_log, ",gemm_f16,") == 8U * 2 * 9);
    BOOST_TEST(count(outcome.op_log, ",mul,") == 8U * 2);
    BOOST_TEST(count(outcome.op_log, ",dma_write,") == 8U * 2);
  });
}

BOOST_AUTO_TEST_CASE(conv3x3_whose_taps_do_not_fit_the_scratch_says_so) {
  for (const char* form : {"blocks", "detour"}) {
    check_contains(failure_of("conv3x3", {{"form", form}, {"channels", "3640"}, {"filters", "64"}}),
                   {": no room for f16{"});
  }
}

BOOST_AUTO_TEST_CASE(the_guide_has_the_times_of_conv3x3) {
  const std::string heading = "| `conv3x3` | blocks | {32, 32, 64}, 64 filters";
  expect_in_guide(time_of("conv3x3", {}), heading, " f16, 8 PEs | {} ns |");
  expect_in_guide(time_of("conv3x3", {{"form", "detour"}}), heading,
                  "| | detour | the same | {} ns |");
}

BOOST_AUTO_TEST_CASE(conv3x3_takes_less_time_than_its_detour) {
  BOOST_TEST(gain("conv3x3", {}) > 1.5);
  BOOST_TEST(gain("conv3x3", {{"height", "28"}, {"width", "28"}, {"channels", "128"}}) > 1.4);
  BOOST_TEST(gain("conv3x3",
                  {{"height", "13"}, {"width", "11"}, {"channels", "5"}, {"filters", "7"}}) >= 1);
}

BOOST_AUTO_TEST_SUITE_END()
