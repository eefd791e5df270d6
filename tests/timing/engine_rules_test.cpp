// Cycles of PE_GEMM and PE_MATH (spec 5).
#include "models/timing/engine_rules.h"

#include <boost/test/unit_test.hpp>

#include "models/base/errors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(engine_rules)

BOOST_AUTO_TEST_CASE(gemm_cycles_are_the_macs_rounded_up_to_whole_cycles) {
  BOOST_TEST(gemm_cycles(32, 64, 32, 4096) == 16u);  // 65536 / 4096
  BOOST_TEST(gemm_cycles(1, 1, 1, 4096) == 1u);
  BOOST_TEST(gemm_cycles(64, 64, 1, 4096) == 1u);
  BOOST_TEST(gemm_cycles(64, 65, 1, 4096) == 2u);  // 4160 MACs
  BOOST_TEST(gemm_cycles(std::int64_t{1} << 31, std::int64_t{1} << 31, 4, 4096) == std::uint64_t{1}
                                                                                       << 52);
  BOOST_CHECK_THROW(gemm_cycles(INT64_MAX, INT64_MAX, INT64_MAX, 1), UsageError);
}

BOOST_AUTO_TEST_CASE(the_products_of_a_batch_share_no_cycle) {
  BOOST_TEST(batch_cycles(3, gemm_cycles(64, 65, 1, 4096)) == 6u);  // of 3 x 4160 MACs: 4
  BOOST_TEST(batch_cycles(1, 7) == 7u);
  BOOST_CHECK_THROW(batch_cycles(2, std::uint64_t{1} << 63), UsageError);
}

BOOST_AUTO_TEST_CASE(math_cycles_are_rows_of_lanes_times_cycles_per_op) {
  const MathCycles table = MathCycles::defaults();
  BOOST_TEST(table.cycles(MathOp::add, 128, 128) == 1u);
  BOOST_TEST(table.cycles(MathOp::add, 129, 128) == 2u);
  BOOST_TEST(table.cycles(MathOp::exp, 129, 128) == 8u);
  for (const MathOp op :
       {MathOp::exp, MathOp::log, MathOp::sqrt, MathOp::sigmoid, MathOp::sin, MathOp::cos})
    BOOST_TEST(table.cycles(op, 1, 128) == 4u);
  for (const MathOp op : {MathOp::rsqrt, MathOp::tanh, MathOp::gelu, MathOp::silu, MathOp::fma,
                          MathOp::where, MathOp::div})
    BOOST_TEST(table.cycles(op, 1, 128) == 1u);
}

BOOST_AUTO_TEST_CASE(a_reduction_adds_the_depth_of_its_tree) {
  const MathCycles table = MathCycles::defaults();
  BOOST_TEST(table.cycles(MathOp::sum, 1024, 128) == 8u + 7);
  BOOST_TEST(table.cycles(MathOp::argmax, 1024, 100) == 11u + 7);  // ceil(log2 100) = 7
  BOOST_TEST(table.cycles(MathOp::max, 4, 1) == 4u + 0);
}

BOOST_AUTO_TEST_CASE(softmax_is_the_sum_of_its_parts) {
  // 1024 elements on 128 lanes: max 8 + 7, sub 8, exp 32, sum 8 + 7, div 8.
  BOOST_TEST(MathCycles::defaults().cycles(MathOp::softmax, 1024, 128) == 15u + 8 + 32 + 15 + 8);
}

BOOST_AUTO_TEST_CASE(a_scan_takes_a_prefix_network_for_every_row_of_lanes) {
  MathCycles table = MathCycles::defaults();
  BOOST_TEST(table.cycles(MathOp::cumsum, 1024, 128) == 8u * (1 + 7));
  BOOST_TEST(table.cycles(MathOp::cumprod, 129, 128) == 2u * (1 + 7));
  BOOST_TEST(table.cycles(MathOp::cumsum, 5, 1) == 5u);
  table.set(MathOp::cumsum, 3);
  BOOST_TEST(table.cycles(MathOp::cumsum, 1024, 128) == 24u * (1 + 7));
}

// Counted by going through the loops of Triton's sort_impl, one pass after the other.
BOOST_AUTO_TEST_CASE(a_sort_takes_the_passes_of_a_bitonic_network) {
  const auto passes = [](std::int64_t elements, std::int64_t n, std::int64_t k,
                         std::uint64_t lanes) {
    unsigned log_n = 0, log_k = 0;
    while ((std::int64_t{1} << log_n) < n) ++log_n;
    while ((std::int64_t{1} << log_k) < k) ++log_k;
    std::uint64_t left = static_cast<std::uint64_t>(elements / n) << log_n, cycles = 0;
    const auto rows = [&] { return (left + lanes - 1) / lanes; };
    for (unsigned stage = 1; stage <= log_k; ++stage) {
      for (unsigned pass = 0; pass < stage; ++pass) cycles += rows();
    }
    for (unsigned stage = log_k + 1; stage <= log_n; ++stage) {
      cycles += rows();  // the better half of each pair of blocks
      left /= 2;
      for (unsigned pass = 0; pass < log_k; ++pass) cycles += rows();
    }
    return cycles;
  };
  const MathCycles table = MathCycles::defaults();
  BOOST_TEST(table.cycles({MathOp::sort, 1024, 1024, 1}, 128) == 8u * 55);  // 10 * 11 / 2 passes
  BOOST_TEST(table.cycles({MathOp::sort, 7, 1, 1}, 128) == 0u);             // lines of one element
  for (const std::int64_t n : {2, 3, 8, 64, 100, 1000}) {
    for (const std::int64_t lines : {1, 3, 50}) {
      BOOST_TEST(table.cycles({MathOp::sort, n * lines, n, 1}, 128) ==
                 passes(n * lines, n, n, 128));
      for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, n / 2 + 1, n})
        BOOST_TEST(table.cycles({MathOp::topk, n * lines, n, k}, 128) ==
                   passes(n * lines, n, k, 128));
    }
  }
}

BOOST_AUTO_TEST_CASE(moves_take_the_time_of_an_element_wise_operation) {
  const MathCycles table = MathCycles::defaults();
  for (const MathOp op : {MathOp::cat, MathOp::flip, MathOp::gather, MathOp::update})
    BOOST_TEST(table.cycles(op, 1000, 128) == 8u);
}

BOOST_AUTO_TEST_SUITE_END()
