// Every op of PE_MATH against double precision (spec 6, 9): f32 inside, one rounding at the end.
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "models/data/shape_rules.h"
#include "platform/phase2/reference_functions.h"
#include "platform/phase2/reference_op.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(math_test)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

void check_close(const std::vector<double>& got, const std::vector<double>& expected, DType dtype) {
  const Tolerance tolerance = tolerance_of(dtype);
  BOOST_REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed = tolerance.atol + tolerance.rtol * std::fabs(expected[i]);
    BOOST_CHECK_MESSAGE(std::fabs(got[i] - expected[i]) <= allowed,
                        "element " << i << ": " << got[i] << ", expected " << expected[i]);
  }
}

struct Unary {
  MathOp op;
  double low, high;
};

constexpr std::array<Unary, 12> unary_ops{{{MathOp::exp, -8, 8},
                                           {MathOp::log, 0.01, 100},
                                           {MathOp::sqrt, 0, 100},
                                           {MathOp::rsqrt, 0.01, 100},
                                           {MathOp::abs, -10, 10},
                                           {MathOp::sigmoid, -8, 8},
                                           {MathOp::cos, -8, 8},
                                           {MathOp::sin, -8, 8},
                                           {MathOp::tanh, -8, 8},
                                           {MathOp::relu, -8, 8},
                                           {MathOp::gelu, -8, 8},
                                           {MathOp::silu, -8, 8}}};

constexpr std::array binary_ops{MathOp::add, MathOp::sub,     MathOp::mul,
                                MathOp::div, MathOp::maximum, MathOp::minimum};

std::vector<double> evaluated_one(MathOp op, const std::vector<double>& x,
                                  DType dtype = DType::f32) {
  return evaluated(math_of(op), {tensor(x, {static_cast<std::int64_t>(x.size())}, dtype)});
}

std::vector<double> reduced(MathOp op, int axis, const TensorValue& input) {
  MathParams params = math_of(op);
  params.axis = axis;
  return evaluated(params, {input});
}

}  // namespace

BOOST_AUTO_TEST_CASE(unary_ops_in_every_float_dtype) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const Unary& op : unary_ops) {
      Numbers numbers(static_cast<std::uint64_t>(op.op));
      const TensorValue x = tensor(numbers.uniform(1500, op.low, op.high), {3, 500}, dtype);
      std::vector<double> expected = doubles(x);
      for (double& each : expected) each = reference_function(op.op, each);
      check_close(evaluated(math_of(op.op), {x}), expected, dtype);
    }
  }
}

BOOST_AUTO_TEST_CASE(binary_ops_broadcast) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const MathOp op : binary_ops) {
      Numbers numbers(static_cast<std::uint64_t>(op));
      const TensorValue a = tensor(numbers.uniform(4 * 7, 0.5, 4), {4, 1, 7}, dtype),
                        b = tensor(numbers.uniform(3, 0.5, 4), {3, 1}, dtype);
      const std::vector<double> x = doubles(a), y = doubles(b);
      std::vector<double> expected;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          for (std::size_t k = 0; k < 7; ++k)
            expected.push_back(reference_function(op, x[i * 7 + k], y[j]));
        }
      }
      check_close(evaluated(math_of(op), {a, b}), expected, dtype);
    }
  }
}

BOOST_AUTO_TEST_CASE(element_wise_results_are_rounded_once) {
  // In f16 every f32 sum, difference, product and quotient of f16 values is far from double
  // rounding trouble: compare exactly.
  Numbers numbers(11);
  const TensorValue a = tensor(numbers.uniform(4000, -60, 60), {4000}, DType::f16),
                    b = tensor(numbers.uniform(4000, 1, 60), {4000}, DType::f16);
  const std::vector<double> x = doubles(a), y = doubles(b);
  for (const MathOp op : binary_ops) {
    const std::vector<double> got = evaluated(math_of(op), {a, b});
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double in_f32 =
          static_cast<double>(static_cast<float>(reference_function(op, x[i], y[i])));
      BOOST_REQUIRE(got[i] == rounded_to(DType::f16, in_f32));
    }
  }
}

BOOST_AUTO_TEST_CASE(long_tensors_are_cut_into_blocks) {
  const std::int64_t count = 200 * 1000 + 3;
  Numbers numbers(5);
  const TensorValue a = tensor(numbers.integers(count, -1000, 1000), {count}, DType::f32);
  const std::vector<double> x = doubles(a);
  FunctionalModel functional_model;
  MathParams params = math_of(MathOp::mul);
  params.operands = {MathOperand::tensor(0), MathOperand::scalar(3)};
  const TensorValue product = functional_model.math(params, {a}).value;
  const std::vector<double> got = result_of(functional_model, product, 3);
  for (std::size_t i = 0; i < got.size(); ++i) BOOST_REQUIRE(got[i] == x[i] * 3);
}

BOOST_AUTO_TEST_CASE(strided_operands) {
  const TensorValue a = tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f32);
  BOOST_TEST((evaluated(math_of(MathOp::add), {transposed(a), tensor({10, 20}, {2}, DType::f32)}) ==
              std::vector<double>{11, 24, 12, 25, 13, 26}));
  BOOST_TEST(
      (evaluated(math_of(MathOp::abs), {broadcast_to(tensor({-7}, {}, DType::f16), {2, 2})}) ==
       std::vector<double>{7, 7, 7, 7}));
}

BOOST_AUTO_TEST_CASE(ternary_ops_and_immediates) {
  const TensorValue a = tensor({-2, -1, 0, 1, 2}, {5}, DType::f32),
                    b = tensor({5, 4, 3, 2, 1}, {5}, DType::f32);
  BOOST_TEST((evaluated(math_of(MathOp::fma), {a, b, a}) == std::vector<double>{-12, -5, 0, 3, 4}));
  BOOST_TEST((evaluated(math_of(MathOp::where), {a, b, tensor({9}, {1}, DType::f32)}) ==
              std::vector<double>{5, 4, 9, 2, 1}));
  MathParams clamp = math_of(MathOp::clamp);
  clamp.operands = {MathOperand::tensor(0), MathOperand::scalar(-1), MathOperand::scalar(1.5)};
  BOOST_TEST((evaluated(clamp, {a}) == std::vector<double>{-1, -1, 0, 1, 1.5}));
  MathParams reversed = math_of(MathOp::sub);
  reversed.operands = {MathOperand::scalar(1), MathOperand::tensor(0)};
  BOOST_TEST((evaluated(reversed, {a}) == std::vector<double>{3, 2, 1, 0, -1}));
  MathParams twice = math_of(MathOp::mul);
  twice.operands = {MathOperand::tensor(0), MathOperand::tensor(0)};
  BOOST_TEST((evaluated(twice, {a}) == std::vector<double>{4, 1, 0, 1, 4}));
  MathParams half_condition =
      math_of(MathOp::where);  // 0.5 is true, also when the branches are integers
  BOOST_TEST(
      (evaluated(half_condition, {tensor({0.5}, {1}, DType::f32), tensor({1}, {1}, DType::i32),
                                  tensor({2}, {1}, DType::i32)}) == std::vector<double>{1}));
}

BOOST_AUTO_TEST_CASE(integers_are_exact_and_wrap) {
  const double big = 2147483647;
  const auto i32 = [](const std::vector<double>& x) {
    return tensor(x, {static_cast<std::int64_t>(x.size())}, DType::i32);
  };
  BOOST_TEST((evaluated(math_of(MathOp::add), {i32({16777217, big}), i32({2, 1})}) ==
              std::vector<double>{16777219, -2147483648.0}));
  BOOST_TEST((evaluated(math_of(MathOp::mul), {i32({65537}), i32({65537})}) ==
              std::vector<double>{131073}));
  BOOST_TEST((evaluated(math_of(MathOp::abs), {tensor({-128, -5}, {2}, DType::i8)}) ==
              std::vector<double>{-128, 5}));
  BOOST_TEST((evaluated(math_of(MathOp::div), {i32({7, 5, -7, 1}), i32({2, 2, 2, 0})}) ==
              std::vector<double>{3.5, 2.5, -3.5, infinity}));
  MathParams quotient = math_of(MathOp::div);  // to even, saturating
  quotient.out_dtype = DType::i32;
  BOOST_TEST((evaluated(quotient, {i32({7, 5, -7, 1}), i32({2, 2, 2, 0})}) ==
              std::vector<double>{4, 2, -4, big}));
  MathParams narrow = math_of(MathOp::add);
  narrow.out_dtype = DType::i8;
  BOOST_TEST((evaluated(narrow, {i32({100}), i32({100})}) == std::vector<double>{127}));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_as_ieee_says) {
  const std::vector<double> got = evaluated_one(MathOp::exp, {infinity, -infinity, not_a_number});
  BOOST_TEST(got[0] == infinity);
  BOOST_TEST(got[1] == 0);
  BOOST_TEST(std::isnan(got[2]));
  BOOST_TEST(std::isnan(evaluated_one(MathOp::log, {-1})[0]));
  BOOST_TEST(evaluated_one(MathOp::log, {0})[0] == -infinity);
  BOOST_TEST(evaluated_one(MathOp::rsqrt, {0})[0] == infinity);
  BOOST_TEST(std::isnan(evaluated_one(MathOp::relu, {not_a_number})[0]));
  const TensorValue x = tensor({not_a_number, 1, infinity}, {3}, DType::f16),
                    y = tensor({1, not_a_number, infinity}, {3}, DType::f16);
  for (const MathOp op : {MathOp::maximum, MathOp::minimum}) {
    const std::vector<double> extremes = evaluated(math_of(op), {x, y});
    BOOST_TEST(std::isnan(extremes[0]));
    BOOST_TEST(std::isnan(extremes[1]));
    BOOST_TEST(extremes[2] == infinity);
  }
  BOOST_TEST(evaluated(math_of(MathOp::div), {tensor({1}, {1}, DType::f16),
                                              tensor({0}, {1}, DType::f16)})[0] == infinity);
  BOOST_TEST(evaluated(math_of(MathOp::mul), {tensor({60000}, {1}, DType::f16),
                                              tensor({2}, {1}, DType::f16)})[0] == infinity);
}

BOOST_AUTO_TEST_CASE(reductions_along_each_axis) {
  Numbers numbers(9);
  const Shape shape{3, 40, 5};
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const TensorValue input = tensor(numbers.uniform(shape.elements(), -1, 1), shape, dtype);
    for (int axis = 0; axis < 3; ++axis) {
      const auto check = [&](MathOp op, int given) {
        MathParams params = math_of(op);
        params.axis = given;
        FunctionalModel model;
        const IssuedOp issued = model.math(params, {input});
        std::vector<double> expected;
        for (const Estimate& each : reference_of(*issued.op, {})) expected.push_back(each.value);
        const std::vector<double> got = result_of(model, issued.value);
        if (op == MathOp::sum || op == MathOp::softmax) return check_close(got, expected, dtype);
        BOOST_TEST((got == expected), name_of(op));
      };
      check(MathOp::sum, axis);
      check(MathOp::softmax, axis);
      check(MathOp::max, axis);
      check(MathOp::min, axis - 3);
      check(MathOp::argmax, axis);
    }
  }
}

BOOST_AUTO_TEST_CASE(sums_accumulate_in_f32) {
  BOOST_TEST(reduced(MathOp::sum, 0, FunctionalModel::full({4096}, DType::bf16, 1))[0] == 4096);
  const TensorValue many = FunctionalModel::full({1 << 20}, DType::f32, 0.1);
  check_close(reduced(MathOp::sum, 0, many), {static_cast<double>(0.1f) * (1 << 20)}, DType::f32);
}

BOOST_AUTO_TEST_CASE(integer_reductions_are_exact) {
  const TensorValue x = tensor({16777217, 1, -3, 16777217}, {4}, DType::i32);
  BOOST_TEST(reduced(MathOp::sum, 0, x)[0] == 33554432);
  BOOST_TEST(reduced(MathOp::max, 0, x)[0] == 16777217);
  BOOST_TEST(reduced(MathOp::min, 0, x)[0] == -3);
  BOOST_TEST(reduced(MathOp::argmax, 0, x)[0] == 0);  // the first of equals
  BOOST_TEST(reduced(MathOp::sum, 0, tensor({2147483647, 1}, {2}, DType::i32))[0] == -2147483648.0);
}

BOOST_AUTO_TEST_CASE(softmax_survives_large_values_and_reductions_meet_nan) {
  const std::vector<double> soft =
      reduced(MathOp::softmax, 0, tensor({10000, 10000, 0}, {3}, DType::f16));
  BOOST_TEST((soft == std::vector<double>{0.5, 0.5, 0}));
  const TensorValue x = tensor({1, not_a_number, 5}, {3}, DType::f32);
  BOOST_TEST(std::isnan(reduced(MathOp::max, 0, x)[0]));
  BOOST_TEST(std::isnan(reduced(MathOp::sum, 0, x)[0]));
  BOOST_TEST(reduced(MathOp::argmax, 0, x)[0] == 1);
  BOOST_TEST(
      std::isnan(reduced(MathOp::softmax, 0, tensor({-infinity, -infinity}, {2}, DType::f32))[0]));
  BOOST_TEST(reduced(MathOp::softmax, 0, tensor({-infinity, 0}, {2}, DType::f32))[1] == 1);
}

BOOST_AUTO_TEST_CASE(conversions_round_once) {
  FunctionalModel functional_model;
  const TensorValue integers =
      functional_model.converted(tensor({2049, 2051, 16777217}, {3}, DType::i32), DType::f16);
  const TensorValue singles =
      functional_model.converted(tensor({16777217}, {1}, DType::i32), DType::f32);
  const TensorValue rounded =
      functional_model.converted(tensor({2.5, -3.5, 1e9}, {3}, DType::f32), DType::i8);
  BOOST_TEST((result_of(functional_model, integers) == std::vector<double>{2048, 2052, infinity}));
  BOOST_TEST((result_of(functional_model, singles) == std::vector<double>{16777216}));
  BOOST_TEST((result_of(functional_model, rounded) == std::vector<double>{2, -4, 127}));
}

BOOST_AUTO_TEST_CASE(a_math_composite_may_have_an_epilogue) {
  MathParams params = math_of(MathOp::add);
  EpilogueOp bias;
  bias.kind = EpilogueOp::Kind::bias;
  bias.input = 2;
  EpilogueOp relu;
  relu.scope = EpilogueScope::kernel;
  params.epilogue = {relu, bias};  // kernel scope runs last
  const TensorValue a = tensor({1, 2, 3, 4}, {2, 2}, DType::f32),
                    row = tensor({-10, 10}, {2}, DType::f32);
  BOOST_TEST((evaluated(params, {a, a, row}) == std::vector<double>{0, 14, 0, 18}));
}

BOOST_AUTO_TEST_CASE(random_shapes_broadcast_like_their_definition) {
  BOOST_TEST(rc::check("add of random shapes and views", [] {
    std::vector<std::int64_t> extents_a, extents_b;
    const int rank = *rc::gen::inRange(0, 5);
    for (int axis = 0; axis < rank; ++axis) {
      const auto extent = *rc::gen::inRange<std::int64_t>(1, 6);
      extents_a.push_back(*rc::gen::arbitrary<bool>() ? extent : 1);
      extents_b.push_back(*rc::gen::arbitrary<bool>() ? extent : 1);
    }
    const auto dropped = *rc::gen::inRange<std::ptrdiff_t>(0, rank + 1);
    extents_b.erase(extents_b.begin(), extents_b.begin() + dropped);
    const Shape a_shape(extents_a), b_shape(extents_b);
    Numbers numbers(*rc::gen::arbitrary<std::uint32_t>());
    const TensorValue a =
        tensor(numbers.integers(a_shape.elements(), -99, 99), a_shape, DType::f32);
    const TensorValue b =
        tensor(numbers.integers(b_shape.elements(), -99, 99), b_shape, DType::i32);
    const Shape out = broadcast(a_shape, b_shape);
    const std::vector<double> x = doubles(broadcast_to(a, out)), y = doubles(broadcast_to(b, out));
    const std::vector<double> got = evaluated(math_of(MathOp::add), {a, b});
    RC_ASSERT(got.size() == x.size());
    for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(got[i] == x[i] + y[i]);
  }));
}

BOOST_AUTO_TEST_SUITE_END()
