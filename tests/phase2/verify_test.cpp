// When a result agrees with its reference (spec 9).
#include "platform/phase2/verify.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(verify_test)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Comparison compared(const std::vector<double>& got, const std::vector<double>& expected,
                    DType dtype, double factor = 1) {
  const Shape shape{static_cast<std::int64_t>(got.size())};
  return compare(dense_bytes(tensor(got, shape, dtype)), dtype, shape, expected, factor);
}

}  // namespace

BOOST_AUTO_TEST_CASE(tolerances_are_those_of_the_dtype) {
  BOOST_TEST(compared({100.0}, {100.0009}, DType::f32).ok);
  BOOST_TEST(!compared({100.0}, {100.0011}, DType::f32).ok);
  BOOST_TEST(compared({1}, {1.0019}, DType::f16).ok);
  BOOST_TEST(!compared({1}, {1.0021}, DType::f16).ok);
  BOOST_TEST(compared({1}, {1.019}, DType::bf16).ok);
  BOOST_TEST(!compared({1}, {1.021}, DType::bf16).ok);
  BOOST_TEST(compared({1}, {1.0041}, DType::f16, 3).ok);
  BOOST_TEST(!compared({5}, {6}, DType::i32).ok);
  BOOST_TEST(!compared({5}, {5.25}, DType::i8).ok);
  BOOST_TEST(compared({5, -3}, {5, -3}, DType::i8).ok);
}

BOOST_AUTO_TEST_CASE(nan_agrees_with_nan_only_and_infinity_with_itself) {
  const double bad = std::nan("");
  BOOST_TEST(compared({bad}, {bad}, DType::f16).ok);
  BOOST_TEST(!compared({bad}, {1}, DType::f16).ok);
  BOOST_TEST(!compared({1}, {bad}, DType::f16).ok);
  BOOST_TEST(compared({infinity}, {infinity}, DType::f16).ok);
  BOOST_TEST(!compared({infinity}, {-infinity}, DType::f16).ok);
  BOOST_TEST(!compared({1}, {infinity}, DType::f16).ok);
  BOOST_TEST(compared({infinity}, {70000}, DType::f16).ok);  // overflows in f16
  BOOST_TEST(!compared({infinity}, {60000}, DType::f16).ok);
}

BOOST_AUTO_TEST_CASE(a_failure_tells_tensor_index_values_largest_error_and_count) {
  const Shape shape{2, 3};
  const std::vector<double> got{1, 2, 3, 4, 5, 6}, expected{1, 2, 3, 4, 4, 8};
  const Comparison comparison =
      compare(dense_bytes(tensor(got, shape, DType::f16)), DType::f16, shape, expected);
  BOOST_TEST(!comparison.ok);
  BOOST_TEST(comparison.first_bad == 4u);
  BOOST_TEST(failure_text("c", DType::f16, shape, comparison) ==
             "tensor 'c' {2, 3} f16: 2 of 6 elements differ; first at {1, 1}: got 5, expected 4; "
             "largest error 2 absolute, 0.25 relative");
}

BOOST_AUTO_TEST_CASE(sizes_must_agree) {
  BOOST_CHECK_THROW(compare(std::vector<std::byte>(8), DType::f16, {4}, {1, 2, 3}), UsageError);
  BOOST_CHECK_THROW(compare(std::vector<std::byte>(6), DType::f16, {4}, {1, 2, 3, 4}), UsageError);
}

// atol follows the largest expected value: 1 / 256 with 3 roundings of 1e-3 allows
// 3 * (1e-3 / 256 + 1e-3 / 256) = 2.3e-5.
BOOST_AUTO_TEST_CASE(zeros_are_no_softmax) {
  BOOST_TEST(compared({9e-6}, {0}, DType::f32).ok);  // magnitude unknown: counts as 1
  const std::vector<double> expected(256, 1.0 / 256);
  const auto agrees = [&](double got) {
    return compare(dense_bytes(tensor(std::vector<double>(256, got), {256}, DType::f16)),
                   DType::f16, {256}, expected, 3)
        .ok;
  };
  BOOST_TEST(agrees(1.0 / 256));
  BOOST_TEST(agrees(1.0 / 256 + 2.2e-5));
  BOOST_TEST(!agrees(1.0 / 256 + 2.8e-5));
  BOOST_TEST(!agrees(0));
}

// 1000 + 1 - 1000 in f16: the sum is rounded to 1001, its neighbours are 0.5 away. atol of the
// result 1 is 1e-3, of the summands 1e-3 * 1000 = 1.
BOOST_AUTO_TEST_CASE(sums_that_cancel_are_held_to_the_magnitude_of_their_summands) {
  const auto agrees = [](double got, std::optional<double> magnitude) {
    return compare(dense_bytes(tensor({got}, {1}, DType::f16)), DType::f16, {1}, {1}, 1, magnitude)
        .ok;
  };
  BOOST_TEST(!agrees(1.5, {}));
  BOOST_TEST(agrees(1.5, 1000));
  BOOST_TEST(!agrees(2.1, 1000));
}

BOOST_AUTO_TEST_SUITE_END()
