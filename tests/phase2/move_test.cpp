// Moves of elements, of random shapes, dtypes and axes: against plain loops here, and against the
// references of `--verify-data=ops`.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "tests/phase2/random_tensors.h"
#include "tests/support/error_text.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(move_test)

BOOST_AUTO_TEST_CASE(moves_of_random_shapes_axes_and_dtypes) {
  Numbers numbers(47);
  for (int run = 0; run < 120; ++run) {
    const DType dtype = dtypes[static_cast<std::size_t>(run) % dtypes.size()];
    const Shape shape = random_shape(numbers);
    const int given = random_axis(numbers, shape);
    const auto axis = static_cast<std::size_t>(normalized_axis(shape, given));
    const TensorValue a = random_tensor(numbers, shape, dtype);
    const std::vector<double> x = doubles(a);
    std::vector<std::int64_t> extents = shape.extents();
    extents[axis] = static_cast<std::int64_t>(numbers.uniform(1, 6));
    const Shape other(extents);
    const TensorValue b = random_tensor(numbers, other, dtype);
    const std::vector<double> y = doubles(b);
    std::vector<double> expected;

    const MathParams cat = along(MathOp::cat, given);
    for_each_index(result_shape(cat, {shape, other, shape}), [&](Index at) {
      const std::int64_t first = shape[axis], second = first + other[axis];
      const bool in_b = at[axis] >= first && at[axis] < second;
      at[axis] -= at[axis] < first ? 0 : in_b ? first : second;
      expected.push_back(in_b ? y[flat(at, other)] : x[flat(at, shape)]);
    });
    expect_same(checked(cat, {a, b, a}), expected, "cat");

    expected.clear();
    for_each_index(shape, [&](Index at) {
      at[axis] = shape[axis] - 1 - at[axis];
      expected.push_back(x[flat(at, shape)]);
    });
    expect_same(checked(along(MathOp::flip, given), {a}), expected, "flip");

    expected.clear();
    const DType index_dtype = run % 2 == 0 ? DType::i32 : DType::i8;
    const TensorValue index =
        tensor(numbers.integers(other.elements(), 0, static_cast<int>(shape[axis]) - 1), other,
               index_dtype);
    const std::vector<double> places = doubles(index);
    for_each_index(other, [&](Index at) {
      const double place = places[flat(at, other)];
      at[axis] = static_cast<std::int64_t>(place);
      expected.push_back(x[flat(at, shape)]);
    });
    expect_same(checked(along(MathOp::gather, given), {a, index}), expected, "gather");

    MathParams update = math_of(MathOp::update);
    std::vector<std::int64_t> part;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      part.push_back(
          static_cast<std::int64_t>(numbers.uniform(1, static_cast<double>(shape[i]) + 0.9)));
      update.starts.push_back(static_cast<std::int64_t>(
          numbers.uniform(0, static_cast<double>(shape[i] - part[i]) + 0.9)));
    }
    const TensorValue piece = random_tensor(numbers, Shape(part), dtype);
    expected = x;
    std::size_t next = 0;
    for_each_index(Shape(part), [&](Index at) {
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += update.starts[i];
      expected[flat(at, shape)] = doubles(piece)[next++];
    });
    expect_same(checked(update, {a, piece}), expected, "update");
  }
}

BOOST_AUTO_TEST_CASE(moves_read_views_and_refuse_what_lies_outside) {
  const TensorValue x = tensor({0, 1, 2, 3, 4, 5}, {2, 3}, DType::i32);
  BOOST_TEST(checked(along(MathOp::flip, 0), {transposed(x)}) ==
             (std::vector<double>{2, 5, 1, 4, 0, 3}));
  const TensorValue index = tensor({0, 3, 1, 1}, {2, 2}, DType::i32);
  BOOST_CHECK_EXCEPTION(evaluated(along(MathOp::gather, 1), {x, index}), AccessFault,
                        test::with_text("gather of {2, 3} on axis 1: element 1 of the index "
                                        "block is 3"));
  MathParams update = math_of(MathOp::update);
  update.starts = {1, 2};
  BOOST_CHECK_EXCEPTION(evaluated(update, {x, tensor({1, 1}, {1, 2}, DType::i32)}), UsageError,
                        test::with_text("update of {2, 3} by {1, 2} at (1, 2)"));
  BOOST_CHECK_EXCEPTION(evaluated(along(MathOp::cat, 0), {x, tensor({1}, {1, 1}, DType::i32)}),
                        UsageError, test::with_text("may differ in axis 0 only"));
  BOOST_CHECK_EXCEPTION(
      evaluated(along(MathOp::cat, 0), {x, tensor({1, 1, 1}, {1, 3}, DType::f32)}), UsageError,
      test::with_text("cat of i32 and f32"));
}

BOOST_AUTO_TEST_SUITE_END()
