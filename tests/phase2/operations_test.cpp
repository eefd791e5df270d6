// Operations along axes and on integers, of random shapes, dtypes and axes, against the references
// of `--verify-data=ops` (reference_test.cpp).
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "platform/phase2/reference_functions.h"
#include "platform/phase2/verify.h"
#include "tests/phase2/random_tensors.h"
#include "tests/support/error_text.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(operations_test)

BOOST_AUTO_TEST_CASE(integer_operations_at_the_ends_of_their_dtypes) {
  const std::vector<double> x32{-0x1p31, 1 - 0x1p31, -46341, -7, -2, -1,        0,
                                1,       2,          3,      7,  31, 0x1p31 - 1};
  const std::vector<double> x8{-128, -127, -7, -2, -1, 0, 1, 2, 3, 7, 8, 126, 127};
  for (const DType dtype : {DType::i8, DType::i32}) {
    const std::vector<double>& x = dtype == DType::i8 ? x8 : x32;
    const auto n = static_cast<std::int64_t>(x.size());
    for (const MathOp op : {MathOp::idiv, MathOp::mod, MathOp::bitwise_and, MathOp::bitwise_or,
                            MathOp::bitwise_xor, MathOp::shl, MathOp::shr}) {
      const std::vector<double> got =
          checked(math_of(op), {tensor(x, {n, 1}, dtype), tensor(x, {1, n}, dtype)});
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double a = x[i / x.size()], b = x[i % x.size()];
        BOOST_CHECK_MESSAGE(got[i] == reference_integer(op, dtype, a, b),
                            name_of(op) << " of " << a << " and " << b << ": " << got[i]);
      }
    }
    const std::vector<double> inverted =
        checked(math_of(MathOp::bitwise_not), {tensor(x, {n}, dtype)});
    for (std::size_t i = 0; i < x.size(); ++i) BOOST_TEST(inverted[i] == -x[i] - 1);
  }
}

BOOST_AUTO_TEST_CASE(scalars_of_integer_operations_may_be_wider_than_the_elements) {
  MathParams params = math_of(MathOp::bitwise_and);
  params.operands = {MathOperand::tensor(0), MathOperand::scalar(255)};
  BOOST_TEST(checked(params, {tensor({-1, 5}, {2}, DType::i32)}) == (std::vector<double>{255, 5}));
  params.operands[1].immediate = 0xffffffff;
  BOOST_TEST(checked(params, {tensor({-1, 5}, {2}, DType::i32)}) == (std::vector<double>{-1, 5}));
  params.op = MathOp::lt;
  params.operands[1].immediate = 200;
  BOOST_TEST(checked(params, {tensor({-128, 127}, {2}, DType::i8)}) == (std::vector<double>{1, 1}));
  params.operands[1] = MathOperand::scalar(1.5);
  BOOST_TEST(checked(params, {tensor({1, 2}, {2}, DType::i32)}) == (std::vector<double>{1, 0}));
}

BOOST_AUTO_TEST_CASE(scans_of_random_shapes_axes_and_dtypes) {
  Numbers numbers(41);
  for (int run = 0; run < 200; ++run) {
    const DType dtype = dtypes[static_cast<std::size_t>(run) % dtypes.size()];
    const Shape shape = random_shape(numbers);
    const TensorValue input = random_tensor(numbers, shape, dtype, run % 3 == 0);
    const MathOp op = run % 2 == 0 ? MathOp::cumsum : MathOp::cumprod;
    MathParams params = along(op, random_axis(numbers, shape));
    params.reverse = run % 4 > 1;
    checked(params, {input});
    const DType out = result_dtype(params, {dtype});
    BOOST_TEST((out == (dtype == DType::i8 && op == MathOp::cumsum ? DType::i32 : dtype)));
  }
}

BOOST_AUTO_TEST_CASE(sorts_of_random_shapes_axes_and_dtypes_are_stable_and_put_nan_last) {
  Numbers numbers(43);
  for (int run = 0; run < 200; ++run) {
    const DType dtype = dtypes[static_cast<std::size_t>(run) % dtypes.size()];
    const Shape shape = random_shape(numbers);
    const TensorValue input = random_tensor(numbers, shape, dtype);
    MathParams params =
        along(run % 2 == 0 ? MathOp::sort : MathOp::topk, random_axis(numbers, shape));
    const auto axis = static_cast<std::size_t>(normalized_axis(shape, *params.axis));
    params.kept =
        static_cast<std::int64_t>(numbers.uniform(1, static_cast<double>(shape[axis]) + 0.999));
    params.reverse = params.op == MathOp::topk || run % 4 > 1;
    checked(params, {input});
    params.indices = true;
    checked(params, {input});
    BOOST_TEST((result_dtype(params, {dtype}) == DType::i32));
  }
}

BOOST_AUTO_TEST_CASE(reductions_over_several_axes) {
  Numbers numbers(53);
  for (int run = 0; run < 150; ++run) {
    const DType dtype = dtypes[static_cast<std::size_t>(run) % dtypes.size()];
    const Shape shape = random_shape(numbers);
    const TensorValue input = random_tensor(numbers, shape, dtype, false);
    std::vector<int> axes;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if (axes.empty() || numbers.uniform(0, 1) < 0.6) axes.push_back(static_cast<int>(axis));
    }
    std::reverse(axes.begin(), axes.end());
    for (const MathOp op :
         {MathOp::sum, MathOp::max, MathOp::min, MathOp::any, MathOp::all, MathOp::xor_sum}) {
      if (op == MathOp::xor_sum && is_float(dtype)) continue;
      MathParams params = along(op, axes.front());
      params.more_axes.assign(axes.begin() + 1, axes.end());
      checked(params, {input});
    }
  }
}

BOOST_AUTO_TEST_CASE(argmin_any_and_all_meet_nan) {
  const TensorValue x = tensor({3, 1, 1, 0, std::nan(""), -1}, {2, 3}, DType::f16);
  BOOST_TEST(checked(along(MathOp::argmin, 1), {x}) == (std::vector<double>{1, 1}));
  BOOST_TEST(checked(along(MathOp::argmax, 1), {x}) == (std::vector<double>{0, 1}));
  BOOST_TEST(checked(along(MathOp::all, 1), {x}) == (std::vector<double>{1, 0}));
  BOOST_TEST(checked(along(MathOp::any, 0), {x}) == (std::vector<double>{1, 1, 1}));
}

BOOST_AUTO_TEST_CASE(floats_are_refused_where_only_integers_go) {
  const TensorValue x = tensor({1}, {1}, DType::f32);
  for (const MathOp op : {MathOp::bitwise_not, MathOp::rand, MathOp::randint, MathOp::randn})
    BOOST_CHECK_EXCEPTION(evaluated(math_of(op), {x}), UsageError,
                          test::with_text("of f32: takes integers only"));
  for (const MathOp op : {MathOp::idiv, MathOp::bitwise_and, MathOp::shl, MathOp::shr})
    BOOST_CHECK_THROW(evaluated(math_of(op), {x, x}), UsageError);
  BOOST_CHECK_THROW(evaluated(along(MathOp::xor_sum, 0), {x}), UsageError);
  MathParams half = math_of(MathOp::shl);
  half.operands = {MathOperand::tensor(0), MathOperand::scalar(0.5)};
  BOOST_CHECK_EXCEPTION(evaluated(half, {tensor({1}, {1}, DType::i32)}), UsageError,
                        test::with_text("shl by the floating-point number 0.5"));
}

// A wrong result is found: the checks of `--verify-data=ops` look at every element.
BOOST_AUTO_TEST_CASE(a_wrong_element_of_each_kind_is_found) {
  Numbers numbers(61);
  const TensorValue x = tensor(numbers.uniform(24, 1, 2), {4, 6}, DType::f32);
  const TensorValue index = tensor(numbers.integers(24, 0, 3), {4, 6}, DType::i32);
  MathParams update = math_of(MathOp::update), topk = along(MathOp::topk, 1);
  update.starts = {0, 0};
  topk.kept = 3;
  const std::vector<std::pair<MathParams, std::vector<TensorValue>>> ops{
      {along(MathOp::cumsum, 1), {x}},
      {along(MathOp::cumprod, 0), {x}},
      {along(MathOp::sort, 1), {x}},
      {topk, {x}},
      {along(MathOp::cat, 0), {x, x}},
      {along(MathOp::flip, 1), {x}},
      {along(MathOp::gather, 0), {x, index}},
      {update, {x, sliced(x, 0, 2)}},
      {math_of(MathOp::lt), {x, transposed(tensor(numbers.uniform(24, 1, 2), {6, 4}, DType::f32))}},
      {math_of(MathOp::rand), {index}}};
  for (const auto& [params, inputs] : ops) {
    FunctionalModel model;
    const TensorValue value = model.math(params, inputs).value;
    DataExecutor executor(model, 1);
    executor.run();
    std::vector<std::byte> bytes = executor.bytes(value);
    const ValueLookup none;
    BOOST_TEST(check_op(*model.ops()[0], bytes.data(), none).ok);
    write_element(bytes.data() + 5 * size_of(value.dtype), value.dtype,
                  read_element(bytes.data() + 5 * size_of(value.dtype), value.dtype) + 1);
    const Comparison comparison = check_op(*model.ops()[0], bytes.data(), none);
    BOOST_TEST(!comparison.ok, describe(*model.ops()[0]));
    BOOST_TEST(comparison.first_bad == 5U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
