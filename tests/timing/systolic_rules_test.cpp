// Cycles of an output-stationary systolic array, and the edges of its clock (spec 5.5).
#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <vector>

#include "models/base/errors.h"
#include "models/timing/engine_rules.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(systolic_rules)

namespace {

// One fold on an array of cells, moved cycle by cycle: a step's operands enter at the left and
// upper edges, those of row i and column j delayed by i and j cycles; a cell that holds both counts
// a product and hands them on. When the last cell has its k products, the rows leave one by one.
class Fold {
 public:
  Fold(std::uint64_t k, const MacArray& array)
      : k_(k), rows_(array.rows), columns_(array.columns), a_(rows_ * columns_, none),
        b_(rows_ * columns_, none), products_(rows_ * columns_, 0) {}

  std::uint64_t cycles() {
    std::uint64_t cycle = 0;
    for (; *std::min_element(products_.begin(), products_.end()) < k_; ++cycle) move(cycle);
    return cycle + rows_;
  }

 private:
  static constexpr std::int64_t none = -1;

  std::int64_t step_at_edge(std::uint64_t cycle, std::uint64_t delay) const {
    return cycle >= delay && cycle - delay < k_ ? static_cast<std::int64_t>(cycle - delay) : none;
  }
  void move(std::uint64_t cycle) {
    for (std::uint64_t i = rows_; i-- > 0;) {
      for (std::uint64_t j = columns_; j-- > 0;) {
        std::int64_t& a = a_[i * columns_ + j];
        std::int64_t& b = b_[i * columns_ + j];
        a = j == 0 ? step_at_edge(cycle, i) : a_[i * columns_ + j - 1];
        b = i == 0 ? step_at_edge(cycle, j) : b_[(i - 1) * columns_ + j];
        if (a != b) throw std::logic_error("operands of different steps meet");
        if (a != none) ++products_[i * columns_ + j];
      }
    }
  }

  std::uint64_t k_, rows_, columns_;
  std::vector<std::int64_t> a_, b_;  // step of the operand that a cell holds
  std::vector<std::uint64_t> products_;
};

struct Case {
  std::int64_t m, k, n;
  MacArray array;
};
Case any_case(int largest, int largest_array) {
  const auto extent = [](int most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
  const auto cells = [&] { return static_cast<std::uint64_t>(extent(largest_array)); };
  return {extent(largest), extent(largest), extent(largest), {cells(), cells()}};
}
std::uint64_t cycles_of(const Case& c) { return systolic_cycles(c.m, c.k, c.n, c.array); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_fold_is_filled_streamed_and_drained) {
  BOOST_TEST(systolic_cycles(1, 1, 1, {1, 1}) == 2u);      // a product, and out
  BOOST_TEST(systolic_cycles(8, 1, 8, {8, 8}) == 23u);     // 1 + 2 * 8 + 8 - 2
  BOOST_TEST(systolic_cycles(8, 64, 8, {8, 8}) == 86u);    // 64 + 22
  BOOST_TEST(systolic_cycles(3, 64, 5, {8, 8}) == 86u);    // as long with idle cells
  BOOST_TEST(systolic_cycles(4, 10, 16, {4, 16}) == 32u);  // 10 + 2 * 4 + 16 - 2
  BOOST_TEST(systolic_cycles(16, 10, 4, {16, 4}) == 44u);  // 10 + 2 * 16 + 4 - 2
}

BOOST_AUTO_TEST_CASE(folds_cover_the_output_sequentially) {
  BOOST_TEST(systolic_cycles(32, 64, 32, {8, 8}) == 16 * 86u);
  BOOST_TEST(systolic_cycles(33, 64, 32, {8, 8}) == 20 * 86u);  // a fifth row of folds
  BOOST_TEST(systolic_cycles(32, 64, 32, {32, 32}) == 158u);
  BOOST_TEST(systolic_cycles(33, 64, 33, {32, 32}) == 4 * 158u);
}

BOOST_AUTO_TEST_CASE(too_many_cycles_are_an_error) {
  BOOST_TEST(systolic_cycles(1, INT64_MAX, 1, {1, 1}) == static_cast<std::uint64_t>(INT64_MAX) + 1);
  BOOST_CHECK_THROW(systolic_cycles(INT64_MAX, 1, 3, {1, 1}), UsageError);
  BOOST_CHECK_THROW(systolic_cycles(INT64_MAX, INT64_MAX, INT64_MAX, {1, 1}), UsageError);
}

RC_BOOST_PROP(the_closed_form_is_an_array_moved_cycle_by_cycle, ()) {
  const Case c = any_case(12, 6);
  std::uint64_t cycles = 0;
  for (std::int64_t i = 0; i < c.m; i += static_cast<std::int64_t>(c.array.rows)) {
    for (std::int64_t j = 0; j < c.n; j += static_cast<std::int64_t>(c.array.columns))
      cycles += Fold(static_cast<std::uint64_t>(c.k), c.array).cycles();
  }
  RC_ASSERT(cycles_of(c) == cycles);
}

RC_BOOST_PROP(a_larger_product_never_takes_fewer_cycles, ()) {
  const Case c = any_case(300, 40);
  for (const Case& larger : {Case{c.m + 1, c.k, c.n, c.array}, Case{c.m, c.k + 1, c.n, c.array},
                             Case{c.m, c.k, c.n + 1, c.array}})
    RC_ASSERT(cycles_of(larger) >= cycles_of(c));
  RC_ASSERT(cycles_of({c.m, c.k + 1, c.n, c.array}) > cycles_of(c));
}

// As many multiply-accumulates per cycle as there are cells, at most.
RC_BOOST_PROP(the_cells_are_never_used_more_than_whole, ()) {
  const Case c = any_case(300, 40);
  RC_ASSERT(cycles_of(c) >= gemm_cycles(c.m, c.k, c.n, c.array.rows * c.array.columns));
}

RC_BOOST_PROP(full_tiles_add_up, ()) {
  const Case c = any_case(20, 20);
  const auto rows = static_cast<std::int64_t>(c.array.rows),
             columns = static_cast<std::int64_t>(c.array.columns);
  const std::uint64_t one = systolic_cycles(rows, c.k, columns, c.array);
  RC_ASSERT(systolic_cycles(c.m * rows, c.k, c.n * columns, c.array) ==
            static_cast<std::uint64_t>(c.m * c.n) * one);
}

BOOST_AUTO_TEST_CASE(cycles_begin_at_the_next_edge) {
  BOOST_TEST(first_edge_from(0, Rational(1)) == 0u);
  BOOST_TEST(first_edge_from(1, Rational(1)) == 1u);
  BOOST_TEST(first_edge_from(fs_per_ns, Rational(1)) == 1u);
  BOOST_TEST(end_of_cycles_from(fs_per_ns + 1, 3, Rational(1)) == 5 * fs_per_ns);
  const Rational third = Rational::parse("0.333333333333333333");  // edges at 0, 3, 6, ... ns
  BOOST_TEST(first_edge_from(3 * fs_per_ns, third) == 1u);
  BOOST_TEST(first_edge_from(3 * fs_per_ns + 1, third) == 2u);
  BOOST_TEST(end_of_cycles_from(1, 99'999'999, third) == 300'000'000 * fs_per_ns);
  BOOST_CHECK_THROW(end_of_cycles_from(1, UINT64_MAX, Rational(1)), std::overflow_error);
}

RC_BOOST_PROP(the_edge_is_the_first_that_is_not_before, ()) {
  const Rational ghz = Rational::fraction(*rc::gen::inRange<std::int64_t>(1, 1'000'000), 1000);
  const Fs time = *rc::gen::inRange<Fs>(0, 1'000'000'000'000);
  const std::uint64_t edge = first_edge_from(time, ghz);
  RC_ASSERT(cycles_to_fs(edge, ghz) >= time);
  if (edge > 0) RC_ASSERT(cycles_to_fs(edge - 1, ghz) < time);
}

BOOST_AUTO_TEST_SUITE_END()
