// Dtypes and rounding of element-wise results (docs/decisions/operation-semantics.md): numbers next
// to integers, results that are rounded once.
#include <boost/test/unit_test.hpp>
#include <limits>

#include "models/base/errors.h"
#include "models/data/shape_rules.h"
#include "tests/phase2/phase2_fixture.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(promotion_test)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TensorValue integers(const std::vector<double>& values) {
  return tensor(values, {static_cast<std::int64_t>(values.size())}, DType::i32);
}

}  // namespace

// PyTorch and Triton: a floating-point number next to integers makes the result f32.
BOOST_AUTO_TEST_CASE(floating_point_numbers_next_to_integers_give_f32) {
  const auto result = [](MathOp op, const TensorValue& x, std::vector<double> numbers) {
    MathParams params = math_of(op);
    params.operands = {MathOperand::tensor(0)};
    for (const double number : numbers)
      params.operands.push_back(MathOperand::scalar(number, true));
    BOOST_TEST((result_dtype(params, {x.dtype}) == DType::f32));
    return evaluated(params, {x});
  };
  const auto f32 = [](std::vector<double> values) {
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
    return values;
  };
  const TensorValue bytes = tensor({-64, -3, 0, 13, 127}, {5}, DType::i8);
  BOOST_TEST(result(MathOp::mul, bytes, {0.05f}) ==
             f32({-64 * 0.05f, -3 * 0.05f, 0, 13 * 0.05f, 127 * 0.05f}));
  BOOST_TEST(result(MathOp::mul, bytes, {2}) == (std::vector<double>{-128, -6, 0, 26, 254}));
  BOOST_TEST(result(MathOp::mul, integers({3, 5}), {0.5}) == (std::vector<double>{1.5, 2.5}));
  BOOST_TEST(result(MathOp::add, integers({1}), {3e9}) == f32({3e9}));
  BOOST_TEST(result(MathOp::maximum, integers({-3, 7}), {0.5}) == (std::vector<double>{0.5, 7}));
  BOOST_TEST(result(MathOp::minimum, integers({-3, 7}), {infinity}) ==
             (std::vector<double>{-3, 7}));
  BOOST_TEST(result(MathOp::clamp, integers({-3, 1, 7}), {-0.5, 2.5}) ==
             (std::vector<double>{-0.5, 1, 2.5}));
  MathParams chosen = math_of(MathOp::where);
  chosen.operands = {MathOperand::tensor(0), MathOperand::tensor(1), MathOperand::scalar(0.25)};
  BOOST_TEST(evaluated(chosen, {tensor({1, 0}, {2}, DType::i8), integers({9, 9})}) ==
             (std::vector<double>{9, 0.25}));
}

BOOST_AUTO_TEST_CASE(powers_and_angles_of_pairs_are_those_of_c) {
  const double pi = 3.14159265358979323846;
  const auto f32 = [](const std::vector<double>& x) {
    return tensor(x, {static_cast<std::int64_t>(x.size())}, DType::f32);
  };
  BOOST_TEST(evaluated(math_of(MathOp::pow), {f32({2, -2, 0, 4}), f32({10, 3, 0, -0.5})}) ==
             (std::vector<double>{1024, -8, 1, 0.5}));
  const std::vector<double> angles =
      evaluated(math_of(MathOp::atan2), {f32({1, 1, -1, 0}), f32({1, -1, -1, -1})});
  const std::vector<double> expected{pi / 4, 3 * pi / 4, -3 * pi / 4, pi};
  for (std::size_t i = 0; i < 4; ++i)
    BOOST_TEST(angles[i] == expected[i], boost::test_tools::tolerance(1e-7));
  BOOST_TEST((result_dtype(math_of(MathOp::pow), {DType::i32, DType::i32}) == DType::f32));
}

// -2^31 to 2^32 - 1, exact, then modulo 2^32; the rest is refused, whatever the operation.
BOOST_AUTO_TEST_CASE(integers_next_to_integers_have_32_bits) {
  const auto result = [](MathOp op, const TensorValue& x, double number) {
    MathParams params = math_of(op);
    params.operands = {MathOperand::tensor(0), MathOperand::scalar(number)};
    return evaluated(params, {x});
  };
  // 1 + 3e9 - 2^32; 3 * 2654435761 = 7963307283 = 2^32 + 3668339987, and 2^32 less
  BOOST_TEST(result(MathOp::add, integers({1}), 3e9) == (std::vector<double>{-1294967295}));
  BOOST_TEST(result(MathOp::sub, integers({1}), 3e9) == (std::vector<double>{1294967297}));
  BOOST_TEST(result(MathOp::mul, integers({3}), 2654435761.0) == (std::vector<double>{-626627309}));
  BOOST_TEST(result(MathOp::lt, integers({5}), 3e9) == (std::vector<double>{1}));
  BOOST_TEST(result(MathOp::minimum, integers({16777217, -3}), 4294967295.0) ==
             (std::vector<double>{16777217, -3}));
  BOOST_TEST(result(MathOp::maximum, integers({16777217, -3}), 1) ==
             (std::vector<double>{16777217, 1}));
  for (const MathOp op :
       {MathOp::add, MathOp::mul, MathOp::maximum, MathOp::lt, MathOp::bitwise_and, MathOp::shl}) {
    for (const double number : {4294967296.0, -2147483649.0, 1e300})
      BOOST_CHECK_THROW(result(op, integers({1}), number), UsageError);
  }
}

// fma(1.5, 1 + 2^-10, -2^-24) = 1.5 + 1.5 * 2^-10 - 2^-24 is just below the middle of the f16
// numbers 1.5 + 2^-10 and 1.5 + 2^-9; f32 holds no more than the middle.
BOOST_AUTO_TEST_CASE(results_in_f16_and_bf16_are_rounded_once) {
  const auto f16 = [](double x) { return tensor({x}, {1}, DType::f16); };
  const auto f32 = [](double x) { return tensor({x}, {1}, DType::f32); };
  BOOST_TEST(evaluated(math_of(MathOp::fma), {f16(1.5), f16(1 + 0x1p-10), f16(-0x1p-24)}) ==
             (std::vector<double>{1.5 + 0x1p-10}));
  // The same for bf16: 1.5 + 1.5 * 2^-7 - 2^-30.
  const auto bf16 = [](double x) { return tensor({x}, {1}, DType::bf16); };
  BOOST_TEST(evaluated(math_of(MathOp::fma), {bf16(1.5), bf16(1 + 0x1p-7), bf16(-0x1p-30)}) ==
             (std::vector<double>{1.5 + 0x1p-7}));
  // Just above and below the middle of 1 and 1 + 2^-10, from f32.
  const auto to_f16 = [](MathOp op, std::vector<TensorValue> operands) {
    MathParams params = math_of(op);
    params.out_dtype = DType::f16;
    return evaluated(params, std::move(operands)).at(0);
  };
  BOOST_TEST(to_f16(MathOp::add, {f32(1 + 0x1p-11), f32(0x1p-40)}) == 1 + 0x1p-10);
  BOOST_TEST(to_f16(MathOp::add, {f32(1 + 0x1p-11), f32(0x1p-100)}) == 1 + 0x1p-10);
  BOOST_TEST(to_f16(MathOp::sub, {f32(1 + 0x1.8p-10), f32(0x1p-100)}) == 1 + 0x1p-10);
  BOOST_TEST(to_f16(MathOp::add, {f32(1 + 0x1p-11), f32(0)}) == 1);  // the middle: to even
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24
  BOOST_TEST(to_f16(MathOp::mul, {f32(1 + 0x1p-12), f32(1 + 0x1p-12)}) == 1 + 0x1p-10);
  BOOST_TEST(to_f16(MathOp::div, {f32(1 + 0x1p-11 + 0x1p-23), f32(1)}) == 1 + 0x1p-10);
}

BOOST_AUTO_TEST_SUITE_END()
