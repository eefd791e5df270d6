// The reference of `--verify-data=ops`, which other tests rely on, against numbers that are not its
// own: each is derived in a comment, or is a constant of mathematics.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "models/data/integer_math.h"
#include "platform/phase2/reference_functions.h"
#include "platform/phase2/reference_op.h"
#include "tests/phase2/random_tensors.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(reference_test)

namespace {

const double not_a_number = std::nan("");
constexpr double e = 2.718281828459045, ln_2 = 0.6931471805599453, ln_3 = 1.0986122886681098,
                 pi = 3.141592653589793;

struct Known {
  MathOp op;
  double x, y, z;
  double expected;
};

struct KnownInteger {
  MathOp op;
  DType dtype;
  double x, y, z;
  double expected;
};

std::vector<double> reference_values(const MathParams& params,
                                     const std::vector<TensorValue>& inputs) {
  FunctionalModel model;
  std::vector<double> values;
  for (const Estimate& each : reference_of(*model.math(params, inputs).op, {}))
    values.push_back(each.value);
  return values;
}

TensorValue vector_of(const std::vector<double>& x, DType dtype) {
  return tensor(x, {static_cast<std::int64_t>(x.size())}, dtype);
}

}  // namespace

BOOST_AUTO_TEST_CASE(functions_have_their_known_values) {
  const std::vector<Known> known{
      {MathOp::exp, 1, 0, 0, e},
      {MathOp::exp, -infinity, 0, 0, 0},
      {MathOp::log, 2, 0, 0, ln_2},
      {MathOp::log, 0, 0, 0, -infinity},
      {MathOp::log, -1, 0, 0, not_a_number},
      {MathOp::sqrt, 2.25, 0, 0, 1.5},
      {MathOp::rsqrt, 4, 0, 0, 0.5},
      {MathOp::rsqrt, 0, 0, 0, infinity},
      {MathOp::abs, -2.5, 0, 0, 2.5},
      {MathOp::sigmoid, ln_3, 0, 0, 0.75},  // 1 / (1 + 1/3)
      {MathOp::cos, pi / 3, 0, 0, 0.5},
      {MathOp::sin, pi / 6, 0, 0, 0.5},
      {MathOp::tanh, ln_3 / 2, 0, 0, 0.5},  // (3 - 1) / (3 + 1)
      {MathOp::relu, -1, 0, 0, 0},
      {MathOp::relu, 3, 0, 0, 3},
      {MathOp::relu, not_a_number, 0, 0, not_a_number},
      {MathOp::gelu, 1, 0, 0, 0.8413447460685429},     // the normal distribution at 1
      {MathOp::gelu, -1, 0, 0, -0.15865525393145705},  // -(1 - 0.84134...)
      {MathOp::silu, ln_3, 0, 0, 0.75 * ln_3},
      {MathOp::exp2, -1, 0, 0, 0.5},
      {MathOp::log2, 8, 0, 0, 3},
      {MathOp::erf, 1, 0, 0, 0.8427007929497149},
      {MathOp::asin, 0.5, 0, 0, pi / 6},
      {MathOp::acos, 0.5, 0, 0, pi / 3},
      {MathOp::atan, 1, 0, 0, pi / 4},
      {MathOp::log1p, 1, 0, 0, ln_2},
      {MathOp::log1p, 1e-10, 0, 0, 9.9999999995e-11},  // x - x^2 / 2
      {MathOp::expm1, 1, 0, 0, e - 1},
      {MathOp::expm1, 1e-10, 0, 0, 1.00000000005e-10},  // x + x^2 / 2
      {MathOp::floor, -2.5, 0, 0, -3},
      {MathOp::ceil, -2.5, 0, 0, -2},
      {MathOp::rint, 2.5, 0, 0, 2},  // half to even
      {MathOp::rint, 3.5, 0, 0, 4},
      {MathOp::trunc, -2.5, 0, 0, -2},
      {MathOp::logical_not, 0, 0, 0, 1},
      {MathOp::logical_not, not_a_number, 0, 0, 0},
      {MathOp::add, 1.5, 2.25, 0, 3.75},
      {MathOp::sub, 1.5, 2.25, 0, -0.75},
      {MathOp::mul, 1.5, -2, 0, -3},
      {MathOp::div, 7, 2, 0, 3.5},
      {MathOp::div, 1, 0, 0, infinity},
      {MathOp::maximum, 2, -3, 0, 2},
      {MathOp::maximum, not_a_number, 1, 0, not_a_number},
      {MathOp::maximum, 1, not_a_number, 0, not_a_number},
      {MathOp::minimum, 2, -3, 0, -3},
      {MathOp::minimum, 1, not_a_number, 0, not_a_number},
      {MathOp::mod, -7.5, 2, 0, -1.5},  // -7.5 - 2 * -3: the sign of the dividend
      {MathOp::mod, 7.5, -2, 0, 1.5},
      {MathOp::atan2, 1, -1, 0, 3 * pi / 4},  // the second quadrant
      {MathOp::atan2, -1, 1, 0, -pi / 4},
      {MathOp::pow, 2, 10, 0, 1024},
      {MathOp::eq, 2, 2, 0, 1},
      {MathOp::eq, not_a_number, not_a_number, 0, 0},
      {MathOp::ne, not_a_number, not_a_number, 0, 1},
      {MathOp::lt, 1, 2, 0, 1},
      {MathOp::lt, 2, 2, 0, 0},
      {MathOp::le, 2, 2, 0, 1},
      {MathOp::gt, 2, 1, 0, 1},
      {MathOp::gt, 2, not_a_number, 0, 0},
      {MathOp::ge, 2, 2, 0, 1},
      {MathOp::logical_and, 0.5, 0, 0, 0},
      {MathOp::logical_and, 0.5, not_a_number, 0, 1},  // NaN is not zero
      {MathOp::logical_or, 0, -1, 0, 1},
      {MathOp::logical_or, 0, 0, 0, 0},
      {MathOp::fma, 2, 3, 4, 10},
      {MathOp::fma, 0x1p30 + 1, 0x1p30 - 1, -0x1p60, -1},  // (a + 1)(a - 1) = a^2 - 1, unrounded
      {MathOp::clamp, 5, -1, 2, 2},
      {MathOp::clamp, -5, -1, 2, -1},
      {MathOp::where, 0, 1, 2, 2},
      {MathOp::where, not_a_number, 1, 2, 1},
      {MathOp::where, 0.5, 1, 2, 1}};
  std::set<MathOp> met;
  for (const Known& each : known) {
    met.insert(each.op);
    const double got = reference_function(each.op, each.x, each.y, each.z);
    const bool close = std::isfinite(each.expected) &&
                       std::fabs(got - each.expected) <= 1e-14 * std::fabs(each.expected);
    BOOST_CHECK_MESSAGE(identical(got, each.expected) || close,
                        name_of(each.op) << " of " << each.x << ", " << each.y << ", " << each.z
                                         << ": " << got << ", expected " << each.expected);
  }
  for (int i = 0; i < math_op_count; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (kind_of(op) != MathKind::element_wise || takes_integers_only(op)) continue;
    BOOST_CHECK_MESSAGE(met.count(op) == 1, name_of(op) << " has no known value");
  }
}

BOOST_AUTO_TEST_CASE(integer_functions_have_their_known_values) {
  constexpr DType i8 = DType::i8, i32 = DType::i32;
  const std::vector<KnownInteger> known{
      {MathOp::add, i8, 127, 1, 0, -128},
      {MathOp::add, i32, 2147483647, 1, 0, -0x1p31},
      {MathOp::sub, i8, -128, 1, 0, 127},
      {MathOp::mul, i32, 65537, 65537, 0, 131073},  // 2^32 + 2^17 + 1
      {MathOp::mul, i8, 100, 3, 0, 44},             // 300 - 256
      {MathOp::fma, i8, 10, 12, 10, -126},          // 130 - 256
      {MathOp::abs, i8, -128, 0, 0, -128},
      {MathOp::abs, i32, -5, 0, 0, 5},
      {MathOp::relu, i32, -3, 0, 0, 0},
      {MathOp::maximum, i32, 3, -4, 0, 3},
      {MathOp::minimum, i32, 3, -4, 0, -4},
      {MathOp::clamp, i8, 9, 0, 5, 5},
      {MathOp::idiv, i32, -7, 2, 0, -3},  // towards zero
      {MathOp::idiv, i32, 7, -2, 0, -3},
      {MathOp::idiv, i32, 7, 0, 0, -1},
      {MathOp::idiv, i32, -0x1p31, -1, 0, -0x1p31},  // 2^31 does not fit
      {MathOp::mod, i32, -7, 2, 0, -1},
      {MathOp::mod, i32, 7, 0, 0, 7},
      {MathOp::bitwise_and, i8, 12, 10, 0, 8},  // 1100, 1010
      {MathOp::bitwise_or, i8, 12, 10, 0, 14},
      {MathOp::bitwise_xor, i8, 12, 10, 0, 6},
      {MathOp::bitwise_and, i32, -1, 255, 0, 255},
      {MathOp::bitwise_not, i8, 5, 0, 0, -6},
      {MathOp::shl, i8, 1, 7, 0, -128},
      {MathOp::shl, i8, 1, 8, 0, 0},
      {MathOp::shl, i32, 1, -1, 0, 0},
      {MathOp::shr, i32, -8, 1, 0, -4},
      {MathOp::shr, i32, -7, 1, 0, -4},  // downwards
      {MathOp::shr, i32, 5, 32, 0, 0},
      {MathOp::shr, i32, -5, 40, 0, -1},
      {MathOp::eq, i32, 4, 4, 0, 1},
      {MathOp::ne, i32, 4, 4, 0, 0},
      {MathOp::lt, i8, -128, 127, 0, 1},
      {MathOp::le, i8, 1, 0, 0, 0},
      {MathOp::gt, i8, 1, 0, 0, 1},
      {MathOp::ge, i8, -1, 0, 0, 0},
      {MathOp::logical_and, i32, 2, 0, 0, 0},
      {MathOp::logical_or, i32, 2, 0, 0, 1},
      {MathOp::logical_not, i32, 2, 0, 0, 0},
      {MathOp::where, i32, 0, 1, 2, 2},
      {MathOp::floor, i32, -5, 0, 0, -5},
      {MathOp::ceil, i32, -5, 0, 0, -5},
      {MathOp::rint, i32, -5, 0, 0, -5},
      {MathOp::trunc, i32, -5, 0, 0, -5}};
  std::set<MathOp> met;
  for (const KnownInteger& each : known) {
    met.insert(each.op);
    const double got = reference_integer(each.op, each.dtype, each.x, each.y, each.z);
    BOOST_CHECK_MESSAGE(got == each.expected, name_of(each.op) << " of " << each.x << ", " << each.y
                                                               << ", " << each.z << ": " << got
                                                               << ", expected " << each.expected);
  }
  for (int i = 0; i < math_op_count; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (has_integer_form(op))
      BOOST_CHECK_MESSAGE(met.count(op) == 1, name_of(op) << " has no known value");
  }
}

BOOST_AUTO_TEST_CASE(rounding_has_its_known_values) {
  const auto check = [](DType dtype, double value, double expected) {
    BOOST_CHECK_MESSAGE(identical(reference_rounding(dtype, value), expected),
                        value << " to " << name_of(dtype) << ": "
                              << reference_rounding(dtype, value) << ", expected " << expected);
  };
  check(DType::f16, 1 + 0x1p-11, 1);             // a tie: to even
  check(DType::f16, 1 + 0x1.8p-10, 1 + 0x1p-9);  // between 1 + 2^-10 and 1 + 2 * 2^-10
  check(DType::f16, 65519, 65504);
  check(DType::f16, 65520, infinity);  // halfway to 2^16
  check(DType::f16, -65520, -infinity);
  check(DType::f16, 0x1p-25, 0);  // half of the smallest number
  check(DType::f16, -0x1p-25, -0.0);
  check(DType::f16, 0x1.8p-25, 0x1p-24);
  check(DType::bf16, 257, 256);  // steps of 2 from 2^8 on
  check(DType::bf16, 259, 260);
  check(DType::bf16, 0x1.ffp127, infinity);     // halfway to 2^128
  check(DType::bf16, 0x1.fefp127, 0x1.fep127);  // the largest number
  check(DType::bf16, 0x1p-134, 0);              // half of the smallest number
  check(DType::bf16, 0x1.8p-134, 0x1p-133);
  check(DType::f32, 16777217, 16777216);
  check(DType::f32, 16777219, 16777220);
  check(DType::f32, 0x1.ffffffp127, infinity);
  check(DType::f32, 0x1p-150, 0);  // half of the smallest number
  check(DType::f32, 0x1.8p-150, 0x1p-149);
  check(DType::i8, 2.5, 2);
  check(DType::i8, 3.5, 4);
  check(DType::i8, -2.5, -2);
  check(DType::i8, -3.5, -4);
  check(DType::i8, 1e9, 127);
  check(DType::i8, infinity, 127);
  check(DType::i8, -0.25, 0);
  check(DType::i32, -3e9, -0x1p31);
  check(DType::i32, 3e9, 0x1p31 - 1);
  check(DType::i32, not_a_number, 0);
  check(DType::f32, not_a_number, not_a_number);
}

BOOST_AUTO_TEST_CASE(reductions_have_their_known_values) {
  const TensorValue x = tensor({1, -2, 3, 5, 5, 0}, {2, 3}, DType::f32);
  const auto reduced = [&](MathOp op, int axis) { return reference_values(along(op, axis), {x}); };
  BOOST_TEST(reduced(MathOp::sum, 1) == (std::vector<double>{2, 10}));
  BOOST_TEST(reduced(MathOp::sum, 0) == (std::vector<double>{6, 3, 3}));
  BOOST_TEST(reduced(MathOp::max, 1) == (std::vector<double>{3, 5}));
  BOOST_TEST(reduced(MathOp::min, -2) == (std::vector<double>{1, -2, 0}));
  BOOST_TEST(reduced(MathOp::argmax, 1) == (std::vector<double>{2, 0}));  // the first of equals
  BOOST_TEST(reduced(MathOp::argmin, 1) == (std::vector<double>{1, 2}));
  BOOST_TEST(reduced(MathOp::any, 1) == (std::vector<double>{1, 1}));
  BOOST_TEST(reduced(MathOp::all, 1) == (std::vector<double>{1, 0}));
  const std::vector<double> soft =
      reference_values(along(MathOp::softmax, 0), {vector_of({0, ln_3}, DType::f32)});
  BOOST_TEST(std::fabs(soft[0] - 0.25) < 1e-7);  // 1 / (1 + 3); ln 3 as f32
  BOOST_TEST(std::fabs(soft[1] - 0.75) < 1e-7);
  BOOST_TEST(reference_values(along(MathOp::xor_sum, 0), {vector_of({12, 10, 1}, DType::i8)}) ==
             (std::vector<double>{7}));  // 1100, 1010, 0001
  BOOST_TEST(reference_values(along(MathOp::sum, 0), {vector_of({2147483647, 2}, DType::i32)}) ==
             (std::vector<double>{1 - 0x1p31}));
  MathParams both = along(MathOp::sum, 0);
  both.more_axes = {2};
  BOOST_TEST(reference_values(both, {tensor({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, DType::f32)}) ==
             (std::vector<double>{14, 22}));  // 1 + 2 + 5 + 6, 3 + 4 + 7 + 8
  // Along the axis in the middle: element i, j, k of the result lies 4 i + 2 j + k from the first.
  const TensorValue cube = tensor({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, DType::f32);
  BOOST_TEST(reference_values(along(MathOp::sum, 1), {cube}) ==
             (std::vector<double>{4, 6, 12, 14}));
  BOOST_TEST(reference_values(along(MathOp::argmax, 1), {cube}) ==
             (std::vector<double>{1, 1, 1, 1}));
  const std::vector<double> columns =
      reference_values(along(MathOp::softmax, 0), {tensor({0, 0, ln_3, ln_3}, {2, 2}, DType::f32)});
  const std::vector<double> shares{0.25, 0.25, 0.75, 0.75};
  BOOST_TEST_REQUIRE(columns.size() == shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    BOOST_TEST(std::fabs(columns[i] - shares[i]) < 1e-7);
  BOOST_TEST(std::isnan(
      reference_values(along(MathOp::max, 0), {vector_of({1, not_a_number}, DType::f16)})[0]));
}

BOOST_AUTO_TEST_CASE(scans_sorts_and_moves_have_their_known_values) {
  const TensorValue x = vector_of({1, 2, 3, 4}, DType::f32);
  MathParams scan = along(MathOp::cumsum, 0);
  BOOST_TEST(reference_values(scan, {x}) == (std::vector<double>{1, 3, 6, 10}));
  scan.reverse = true;
  BOOST_TEST(reference_values(scan, {x}) == (std::vector<double>{10, 9, 7, 4}));
  BOOST_TEST(reference_values(along(MathOp::cumprod, 0), {x}) ==
             (std::vector<double>{1, 2, 6, 24}));
  const TensorValue bytes = vector_of({100, 3}, DType::i8);
  BOOST_TEST(reference_values(along(MathOp::cumprod, 0), {bytes}) ==
             (std::vector<double>{100, 44}));  // 300 - 256
  BOOST_TEST(reference_values(along(MathOp::cumsum, 0), {vector_of({127, 127}, DType::i8)}) ==
             (std::vector<double>{127, 254}));  // i32

  const TensorValue cube = tensor({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, DType::f32);
  MathParams middle = along(MathOp::cumsum, 1);
  BOOST_TEST(reference_values(middle, {cube}) == (std::vector<double>{1, 2, 4, 6, 5, 6, 12, 14}));
  middle = along(MathOp::cumsum, -2);
  middle.reverse = true;
  BOOST_TEST(reference_values(middle, {cube}) == (std::vector<double>{4, 6, 3, 4, 12, 14, 7, 8}));
  BOOST_TEST(reference_values(along(MathOp::cumprod, 1), {cube}) ==
             (std::vector<double>{1, 2, 3, 8, 5, 6, 35, 48}));
  const std::vector<double> reversed{3, 4, 1, 2, 7, 8, 5, 6};
  middle.op = MathOp::sort;
  BOOST_TEST(reference_values(middle, {cube}) == reversed);
  BOOST_TEST(reference_values(along(MathOp::flip, 1), {cube}) == reversed);

  const TensorValue mixed = vector_of({3, not_a_number, 1, 3}, DType::f32);
  MathParams places = along(MathOp::sort, 0);
  places.indices = true;
  BOOST_TEST(reference_values(places, {mixed}) == (std::vector<double>{2, 0, 3, 1}));
  places.reverse = true;  // equal ones in their order still
  BOOST_TEST(reference_values(places, {mixed}) == (std::vector<double>{1, 0, 3, 2}));
  MathParams top = along(MathOp::topk, 0);
  top.reverse = true;
  top.kept = 2;
  BOOST_TEST(reference_values(top, {x}) == (std::vector<double>{4, 3}));

  BOOST_TEST(reference_values(along(MathOp::cat, 0), {x, vector_of({9}, DType::f32)}) ==
             (std::vector<double>{1, 2, 3, 4, 9}));
  BOOST_TEST(reference_values(along(MathOp::flip, 0), {x}) == (std::vector<double>{4, 3, 2, 1}));
  BOOST_TEST(reference_values(along(MathOp::gather, 0), {x, vector_of({3, 0, 3}, DType::i32)}) ==
             (std::vector<double>{4, 1, 4}));
  MathParams update = math_of(MathOp::update);
  update.starts = {1};
  BOOST_TEST(reference_values(update, {x, vector_of({8, 9}, DType::f32)}) ==
             (std::vector<double>{1, 8, 9, 4}));
}

BOOST_AUTO_TEST_CASE(products_and_random_numbers_have_their_known_values) {
  FunctionalModel model;
  const TensorValue a = tensor({1, 2, 3, 4}, {2, 2}, DType::f32),
                    b = tensor({5, 6, 7, 8}, {2, 2}, DType::f32);
  std::vector<double> product;
  for (const Estimate& each : reference_of(*model.gemm({}, {a, b}).op, {}))
    product.push_back(each.value);
  BOOST_TEST(product == (std::vector<double>{19, 22, 43, 50}));  // 1*5 + 2*7, ...
  // The first word of Random123's kat_vectors, philox4x32 10, of zeros; half of it below 1.
  MathParams params = math_of(MathOp::randint);
  const TensorValue zero = vector_of({0}, DType::i32);
  BOOST_TEST(reference_values(params, {zero})[0] == 0x6627e8d5);
  params.op = MathOp::rand;
  BOOST_TEST(std::fabs(reference_values(params, {zero})[0] - 0x6627e8d5 * 0x1p-31) < 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()
