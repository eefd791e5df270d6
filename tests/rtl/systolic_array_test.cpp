// kernbench_systolic at its pins: results to the bit, edges by the closed form, waits, errors,
// resets.
#include "tests/rtl/gemm_model.h"
// The runtime of Verilator comes first.
#include <Vchecked_3x5.h>
#include <Vchecked_8x8.h>
#include <Vsystolic_1x1.h>
#include <Vsystolic_32x32.h>
#include <Vsystolic_3x5.h>
#include <Vsystolic_8x8.h>
#include <fmt/format.h>
#include <rapidcheck/boost_test.h>

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace kernbench::test;

BOOST_AUTO_TEST_SUITE(systolic_array_test)

namespace {

template <class Model, unsigned rows_of, unsigned columns_of>
struct Array {
  static constexpr unsigned rows = rows_of, columns = columns_of;
  explicit Array(int random_seed = 0) : block(rows, columns, random_seed), bench(block.pins()) {}
  GemmModel<Model> block;
  GemmTestbench bench;
};
using Array1x1 = Array<Vsystolic_1x1, 1, 1>;
using Array3x5 = Array<Vsystolic_3x5, 3, 5>;
using Array8x8 = Array<Vsystolic_8x8, 8, 8>;
using Array32x32 = Array<Vsystolic_32x32, 32, 32>;
// With the assertions of the contract.
using Checked3x5 = Array<Vchecked_3x5, 3, 5>;
using Checked8x8 = Array<Vchecked_8x8, 8, 8>;
using Arrays = boost::mpl::list<Array1x1, Array3x5, Array8x8, Array32x32, Checked3x5, Checked8x8>;

// Of f16: zeros, subnormals, one, the largest, infinity, NaN.
const std::vector<std::uint16_t> special_values{0x0000, 0x8000, 0x0001, 0x83ff, 0x0400,
                                                0x3c00, 0xbc00, 0x3c01, 0x7bff, 0xfbff,
                                                0x7c00, 0xfc00, 0x7e00};

enum class Values { any, finite, special };

std::uint16_t element(std::mt19937& random, GemmDType dtype, Values values) {
  if (dtype == GemmDType::i8)
    return static_cast<std::uint16_t>(static_cast<int>(random() % 256) - 128);
  if (values == Values::special) return special_values[random() % special_values.size()];
  const auto bits = static_cast<std::uint16_t>(random());
  if (values == Values::any || (bits & 0x7c00) != 0x7c00) return bits;
  return static_cast<std::uint16_t>(bits & 0xbfff);
}

GemmTask tile(std::uint32_t m, std::uint32_t n, std::uint32_t k, GemmDType dtype,
              Values values = Values::finite, unsigned seed = 1) {
  std::mt19937 random(seed);
  GemmTask tile{m, n, k, dtype, {}, {}};
  for (std::uint64_t i = 0; i < std::uint64_t{m} * k; ++i)
    tile.a.push_back(element(random, dtype, values));
  for (std::uint64_t i = 0; i < std::uint64_t{k} * n; ++i)
    tile.b.push_back(element(random, dtype, values));
  return tile;
}

std::string name_of(const GemmTask& t) {
  return fmt::format("{}x{}x{} {}", t.m, t.n, t.k, t.dtype == GemmDType::i8 ? "i8" : "f16");
}

// The first one that differs; "" if none does.
std::string difference(const GemmTask& tile, const GemmRun& run) {
  const std::vector<std::uint32_t> expected = reference_product(tile);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (run.values[i] == expected[i]) continue;
    return fmt::format("{}: element {}, {} is {:08x}, expected {:08x}", name_of(tile), i / tile.n,
                       i % tile.n, run.values[i], expected[i]);
  }
  return "";
}

template <class T>
void check_runs(const std::vector<GemmTask>& tasks, const std::vector<GemmRun>& runs) {
  BOOST_TEST_REQUIRE(runs.size() == tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    BOOST_TEST(difference(tasks[i], runs[i]) == "");
    BOOST_TEST(runs[i].edges == closed_form(tasks[i], T::rows, T::columns) + runs[i].waits,
               name_of(tasks[i]) << " takes " << runs[i].edges);
  }
}

template <class T>
std::vector<GemmTask> grid(Values values) {
  const std::uint32_t r = T::rows, c = T::columns;
  std::vector<GemmTask> tasks;
  for (const GemmDType dtype : {GemmDType::i8, GemmDType::f16})
    for (const std::uint32_t m : {1U, r - 1, r, r + 1, 2 * r + 1})
      for (const std::uint32_t n : {1U, c - 1, c, c + 1, 2 * c + 1})
        for (const std::uint32_t k : {1U, 2U, c + r - 2, c + r + 7})
          if (m > 0 && n > 0 && k > 0)
            tasks.push_back(tile(m, n, k, dtype, values, static_cast<unsigned>(tasks.size())));
  return tasks;
}

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(every_shape_takes_the_closed_form, T, Arrays) {
  const std::vector<GemmTask> tasks = grid<T>(Values::finite);
  check_runs<T>(tasks, T().bench.run(tasks));
}

BOOST_AUTO_TEST_CASE(edges_of_a_tile_are_those_of_the_formula) {
  // One for the task, and 64 + 2 * 8 + 8 - 2 = 86 for each of 2 x 2 blocks.
  const GemmTask of_four_blocks = tile(9, 16, 64, GemmDType::i8);
  BOOST_TEST(Array8x8().bench.run({of_four_blocks}).front().edges == 1 + 4 * 86U);
  // 64 + 2 * 32 + 32 - 2 = 158.
  BOOST_TEST(Array32x32().bench.run({tile(32, 32, 64, GemmDType::f16)}).front().edges == 1 + 158U);
  BOOST_TEST(Array1x1().bench.run({tile(1, 1, 1, GemmDType::i8)}).front().edges == 1 + 2U);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(results_with_special_values_are_those_of_the_host, T, Arrays) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    for (const Values values : {Values::special, Values::any}) {
      const std::vector<GemmTask> tasks{
          tile(T::rows + 1, T::columns + 1, 1, GemmDType::f16, values, seed),
          tile(T::rows, T::columns, 2, GemmDType::f16, values, seed),
          tile(T::rows, T::columns, 3, GemmDType::f16, values, seed)};
      check_runs<T>(tasks, T().bench.run(tasks));
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_of_f16_products_are_formed_in_order_and_rounded_each) {
  // 2^12 * 2^12 = 2^24, whose neighbours in f32 are 2 apart: 1 is lost when it comes after it, and
  // is not when two of them come first.
  const std::uint16_t one = 0x3c00, large = 0x6c00;
  const auto sum = [](std::vector<std::uint16_t> a, std::vector<std::uint16_t> b) {
    const GemmTask row{1, 1, static_cast<std::uint32_t>(a.size()), GemmDType::f16, a, b};
    return f32_value(Array8x8().bench.run({row}).front().values.front());
  };
  BOOST_TEST(sum({large, one, one}, {large, one, one}) == 16777216.0F);
  BOOST_TEST(sum({one, one, large}, {one, one, large}) == 16777218.0F);
}

BOOST_AUTO_TEST_CASE(sums_of_i8_wrap) {
  // 2^17 products of 2^14 are 2^31; then one of -128 * 127.
  GemmTask row{1, 1, (1U << 17) + 1, GemmDType::i8, {}, {}};
  row.a.assign(row.k, static_cast<std::uint16_t>(-128));
  row.b = row.a;
  row.b.back() = 127;
  const auto run = Array8x8().bench.run({row}).front();
  BOOST_TEST(run.values.front() == 0x80000000U - 128 * 127);
  BOOST_TEST(difference(row, run) == "");
}

BOOST_AUTO_TEST_CASE_TEMPLATE(results_that_wait_delay_by_as_much_and_nothing_else, T, Arrays) {
  const std::vector<GemmTask> tasks{tile(T::rows + 1, 2 * T::columns, 5, GemmDType::i8),
                                    tile(T::rows, T::columns, 1, GemmDType::f16)};
  for (const unsigned percent : {50U, 90U}) {
    const std::vector<GemmRun> runs = T().bench.run(tasks, {0, 0, 0, percent});
    check_runs<T>(tasks, runs);
    BOOST_TEST(runs[0].waits > 0U);
  }
}

template <class T>
void random_tasks_in_gaps() {
  const auto extent = [](unsigned size) { return rc::gen::inRange<std::uint32_t>(1, 3 * size); };
  const auto gap = rc::gen::weightedElement<unsigned>({{3, 0}, {1, 10}, {1, 50}, {1, 90}});
  const unsigned seed = *rc::gen::arbitrary<unsigned>();
  std::vector<GemmTask> tasks;
  for (unsigned i = *rc::gen::inRange(1U, 4U); i > 0; --i) {
    tasks.push_back(tile(*extent(T::rows), *extent(T::columns), *extent(T::rows + T::columns),
                         *rc::gen::element(GemmDType::i8, GemmDType::f16),
                         *rc::gen::element(Values::finite, Values::special), seed + i));
  }
  const GemmGaps gaps{*gap, *gap, *gap, *gap};
  const std::vector<GemmRun> runs = T(static_cast<int>(seed % 1000)).bench.run(tasks, gaps, seed);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    RC_ASSERT(difference(tasks[i], runs[i]) == "");
    const std::uint64_t least = closed_form(tasks[i], T::rows, T::columns) + runs[i].waits;
    RC_ASSERT(runs[i].edges >= least);
    if (gaps.a + gaps.b + gaps.tasks == 0) RC_ASSERT(runs[i].edges == least);
  }
}
RC_BOOST_PROP(gaps_change_no_result_1x1, ()) { random_tasks_in_gaps<Array1x1>(); }
RC_BOOST_PROP(gaps_change_no_result_3x5, ()) { random_tasks_in_gaps<Array3x5>(); }
RC_BOOST_PROP(gaps_change_no_result_8x8, ()) { random_tasks_in_gaps<Array8x8>(); }
RC_BOOST_PROP(gaps_break_no_rule_3x5, ()) { random_tasks_in_gaps<Checked3x5>(); }
RC_BOOST_PROP(gaps_break_no_rule_8x8, ()) { random_tasks_in_gaps<Checked8x8>(); }
BOOST_AUTO_TEST_CASE(gaps_change_no_result_32x32) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const std::vector<GemmTask> tasks{tile(40, 33, 20, GemmDType::f16, Values::special, seed),
                                      tile(1, 64, 3, GemmDType::i8, Values::any, seed)};
    const std::vector<GemmRun> runs =
        Array32x32(1).bench.run(tasks, {50, 20 * seed, 60 - 20 * seed, 30}, seed);
    for (std::size_t i = 0; i < tasks.size(); ++i) BOOST_TEST(difference(tasks[i], runs[i]) == "");
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_reset_at_any_edge_leaves_nothing_behind, T, Arrays) {
  const GemmTask before = tile(T::rows + 1, T::columns + 1, 3, GemmDType::f16, Values::special);
  const std::vector<GemmTask> after{tile(T::rows + 1, T::columns, 4, GemmDType::i8),
                                    tile(T::rows, T::columns, 2, GemmDType::f16)};
  const std::uint64_t edges = closed_form(before, T::rows, T::columns);
  const std::uint64_t step = T::rows == 32 ? 17 : 1;
  for (std::uint64_t edge = 0; edge < edges; edge += step) {
    T array;
    array.bench.offer({before, before});
    for (std::uint64_t i = 0; i < edge; ++i) array.bench.cycle();
    array.bench.reset();
    check_runs<T>(after, array.bench.run(after));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(outputs_are_the_same_in_every_run, T, Arrays) {
  // Also whatever registers hold before the reset.
  const std::vector<GemmTask> tasks{
      tile(T::rows + 1, T::columns + 1, 3, GemmDType::f16, Values::special),
      tile(1, 1, 2, GemmDType::i8)};
  std::vector<std::vector<std::string>> logs;
  for (const int random_seed : {0, 0, 1, 2}) {
    T array(random_seed);
    array.bench.run(tasks, {30, 30, 30, 30});
    logs.push_back(array.bench.log());
  }
  BOOST_TEST(logs[0].size() > 0U);
  for (const auto& log : logs) BOOST_TEST(log == logs[0], boost::test_tools::per_element());
}

namespace {

// The error that is up in the end, all streams at rest.
int error_of(GemmTestbench& bench) {
  for (int i = 0; i < 200 && bench.error() == 0; ++i) bench.cycle();
  const auto error = static_cast<int>(bench.error());
  for (int i = 0; i < 50; ++i) {
    bench.cycle();
    BOOST_TEST(bench.log().back() == fmt::format("00000 {}", error));
  }
  return error;
}

int error_of_task(std::uint32_t m, std::uint32_t n, std::uint32_t k, int dtype) {
  GemmTask tile{m, n, k, static_cast<GemmDType>(dtype), {}, {}};
  tile.a.resize(std::size_t{m} * k);
  tile.b.resize(std::size_t{k} * n);
  Array8x8 array;
  array.bench.offer({tile});
  return error_of(array.bench);
}

int error_of_last(GemmTestbench::Operand operand, std::size_t beat) {
  Array8x8 array;
  array.bench.offer({tile(8, 16, 3, GemmDType::i8)});  // 2 blocks of 3 beats
  array.bench.misplace_last(operand, beat);
  const int error = error_of(array.bench);
  // After a reset it is as new.
  array.bench.reset();
  const std::vector<GemmTask> next{tile(9, 9, 4, GemmDType::f16)};
  check_runs<Array8x8>(next, array.bench.run(next));
  return error;
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_tasks_are_errors) {
  BOOST_TEST(error_of_task(0, 8, 8, 0) == 1);
  BOOST_TEST(error_of_task(8, 0, 8, 1) == 2);
  BOOST_TEST(error_of_task(8, 8, 0, 0) == 3);
  BOOST_TEST(error_of_task(8, 8, 8, 2) == 4);
  BOOST_TEST(error_of_task(8, 8, 8, 15) == 4);
}

BOOST_AUTO_TEST_CASE(last_at_the_wrong_beat_is_an_error) {
  using Operand = GemmTestbench::Operand;
  for (const std::size_t beat : {0, 1, 2, 3, 5}) {
    BOOST_TEST(error_of_last(Operand::a, beat) == 5);
    BOOST_TEST(error_of_last(Operand::b, beat) == 6);
  }
}

BOOST_AUTO_TEST_CASE(assertions_know_where_last_belongs) {
  Checked8x8 array;
  array.bench.offer({tile(8, 8, 3, GemmDType::i8)});
  array.bench.misplace_last(GemmTestbench::Operand::a, 1);
  BOOST_CHECK_EXCEPTION(error_of(array.bench), std::runtime_error, [](const auto& error) {
    return std::string(error.what()) == "last_at_end_of_fold at a_last";
  });
}

BOOST_AUTO_TEST_CASE(nothing_is_taken_before_a_task_or_offered_without_one) {
  Array8x8 array;
  array.bench.offer({tile(8, 8, 4, GemmDType::i8)}, {100, 0, 0, 0});  // operands, no task
  for (int i = 0; i < 50; ++i) {
    array.bench.cycle();
    BOOST_TEST(array.bench.log().back() == "10000 0");
  }
}

BOOST_AUTO_TEST_SUITE_END()
