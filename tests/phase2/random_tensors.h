// Random shapes, axes and tensors, and operations on them that the references of
// `--verify-data=ops` find right.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "platform/phase2/verify.h"
#include "tests/phase2/phase2_fixture.h"
#include "tests/phase2/special_numbers.h"

namespace kernbench {

using Index = std::vector<std::int64_t>;

// Evaluated, and found right by the reference of `--verify-data=ops`.
inline std::vector<double> checked(const MathParams& params,
                                   const std::vector<TensorValue>& inputs) {
  FunctionalModel model;
  const TensorValue value = model.math(params, inputs).value;
  DataExecutor executor(model, 1);
  executor.run();
  const OpCheck check = check_ops(
      model.ops(), [&](ValueId id) { return executor.computed(id); }, 1);
  BOOST_TEST(check.total() == model.values());
  for (const OpFailure& failure : check.failures)
    BOOST_ERROR(describe(*failure.op)
                << ": element " << failure.comparison.first_bad << " is " << failure.comparison.got
                << ", expected " << failure.comparison.expected);
  return doubles(executor.bytes(value), value.dtype);
}

inline Shape random_shape(Numbers& numbers, std::int64_t largest = 9) {
  std::vector<std::int64_t> extents;
  const auto rank = static_cast<int>(numbers.uniform(1, 4.99));
  for (int i = 0; i < rank; ++i)
    extents.push_back(static_cast<std::int64_t>(numbers.uniform(1, static_cast<double>(largest))));
  return Shape(extents);
}

inline int random_axis(Numbers& numbers, const Shape& shape) {
  const auto rank = static_cast<double>(shape.rank());
  return static_cast<int>(std::floor(numbers.uniform(-rank, rank - 0.001)));
}

// With duplicates, and some of the special ones of floats.
inline TensorValue random_tensor(Numbers& numbers, const Shape& shape, DType dtype,
                                 bool special = true) {
  std::vector<double> elements = numbers.integers(shape.elements(), -6, 6);
  for (double& element : elements) {
    const double choice = numbers.uniform(0, 30);
    if (!is_float(dtype)) {
      if (choice < 1) element = dtype == DType::i8 ? -128 : -0x1p31;
      continue;
    }
    element *= 0.25;
    if (!special) continue;
    if (choice < 1) element = std::nan("");
    if (choice >= 1 && choice < 2) element = infinity;
    if (choice >= 2 && choice < 3) element = -infinity;
    if (choice >= 3 && choice < 4) element = -0.0;
  }
  return tensor(elements, shape, dtype);
}

inline std::size_t flat(const Index& index, const Shape& shape) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) at = at * shape[axis] + index[axis];
  return static_cast<std::size_t>(at);
}

template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    Index index(shape.rank());
    std::int64_t rest = i;
    for (std::size_t axis = shape.rank(); axis-- > 0; rest /= shape[axis])
      index[axis] = rest % shape[axis];
    visit(index);
  }
}

inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline void expect_same(const std::vector<double>& got, const std::vector<double>& expected,
                        const std::string& what) {
  BOOST_REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    BOOST_CHECK_MESSAGE(same(got[i], expected[i]), what << ", element " << i << ": " << got[i]
                                                        << ", expected " << expected[i]);
}

inline MathParams along(MathOp op, int axis) {
  MathParams params = math_of(op);
  params.axis = axis;
  return params;
}

}  // namespace kernbench
