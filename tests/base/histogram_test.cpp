// Log-linear histograms (spec 11.3): percentiles within 6 %.
#include "models/base/histogram.h"

#include <rapidcheck/boost_test.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

using kernbench::Histogram;

BOOST_AUTO_TEST_SUITE(histogram_test)

BOOST_AUTO_TEST_CASE(an_empty_histogram_has_no_percentile_and_no_mean) {
  const Histogram histogram;
  BOOST_TEST(histogram.count() == 0U);
  BOOST_TEST(histogram.mean() == 0.0);
  BOOST_TEST(histogram.percentile(0.5) == 0U);
}

// Below 32 every value has a bucket of its own: 16 linear ones, then 16 per octave.
BOOST_AUTO_TEST_CASE(small_values_are_exact) {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 32; ++value) histogram.add(value);
  for (std::uint64_t value = 0; value < 32; ++value)
    BOOST_TEST(histogram.percentile(static_cast<double>(value + 1) / 32) == value);
  BOOST_TEST(histogram.mean() == 15.5);
}

// 32 and 33 share the bucket that starts at 32; 34 starts the next. The largest value stays inside
// its bucket, too.
BOOST_AUTO_TEST_CASE(buckets_begin_at_sixteenths_of_an_octave) {
  const auto percentile_of = [](std::uint64_t value) {
    Histogram histogram;
    histogram.add(0);
    histogram.add(value);
    histogram.add(~std::uint64_t{0});
    return histogram.percentile(0.6);
  };
  BOOST_TEST(percentile_of(33) == 32U);
  BOOST_TEST(percentile_of(34) == 34U);
  BOOST_TEST(percentile_of((1U << 20) - 1) == (1U << 20) - (1U << 15));
  BOOST_TEST(percentile_of(~std::uint64_t{0}) == ~std::uint64_t{0} - (std::uint64_t{1} << 59) + 1);
}

// Rounding down to the bucket's start loses at most 1/16 of the value: 6.25 %.
RC_BOOST_PROP(percentiles_are_within_6_percent_of_the_sorted_values, ()) {
  const auto bits = *rc::gen::inRange(1, 64);
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(
      rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits)));
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.add(value);
  std::sort(values.begin(), values.end());
  for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99, 1.0}) {
    const auto rank = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))));
    const std::uint64_t exact = values[rank - 1], got = histogram.percentile(share);
    RC_ASSERT(got <= exact);
    RC_ASSERT(exact - got <= exact / 16);
  }
  RC_ASSERT(histogram.lowest() == values.front());
  RC_ASSERT(histogram.highest() == values.back());
}

BOOST_AUTO_TEST_CASE(buckets_hold_every_value_once_and_the_sum_is_exact) {
  Histogram histogram;
  for (const std::uint64_t value : {5U, 5U, 33U, 32U, 1000U}) histogram.add(value);
  using Buckets = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  // 32 and 33 share a bucket; 1000 = 512 * 1.953 is in the one from 512 * 31 / 16 = 992 on.
  BOOST_TEST((histogram.buckets() == Buckets{{5, 2}, {32, 2}, {992, 1}}));
  BOOST_TEST(histogram.sum() == 1075U);
}

BOOST_AUTO_TEST_SUITE_END()
