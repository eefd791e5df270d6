// Every operation of PE_MATH on every dtype that it takes, against double precision (spec 6, 9):
// ordinary numbers and those at the ends of each format.
//
// Tolerance: what f32 may make of a result is stated by operation below, in units of 2^-24 of the
// magnitude; whatever lies between the two ends of that interval, rounded to f32 and then to the
// dtype, is right. Operations that IEEE 754 defines have no interval: there the bits of the value
// are one, to the sign of a zero. NaN is right where the reference has NaN.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "models/data/shape_rules.h"
#include "platform/phase2/reference_functions.h"
#include "tests/phase2/phase2_fixture.h"
#include "tests/phase2/special_numbers.h"

using namespace kernbench;

BOOST_AUTO_TEST_SUITE(math_matrix_test)

namespace {

double as_f32(double x) { return reference_rounding(DType::f32, x); }

struct Allowed {
  double relative = 0;  // of the result
  double absolute = 0;
};

bool right(double got, double expected, const Allowed& allowed, DType dtype) {
  const auto rounds = [dtype](double x) { return reference_rounding(dtype, as_f32(x)); };
  if (std::isnan(expected)) return is_float(dtype) ? std::isnan(got) : got == 0;
  const double error =
      std::isinf(expected) ? 0 : allowed.relative * std::fabs(expected) + allowed.absolute;
  if (error == 0)
    return is_float(dtype) ? identical(got, rounds(expected)) : got == rounds(expected);
  return rounds(expected - error) <= got && got <= rounds(expected + error);
}

constexpr double unit = 0x1p-24;  // half a unit in the last place of f32, at most

// Passes through an intermediate result that leaves the range of f32 where it is below its normal
// numbers.
constexpr Allowed within_4_units{4 * unit, 0x1p-126};

// What f32 may make of a function of one operand.
Allowed allowed_of(MathOp op, double x) {
  switch (op) {
    case MathOp::sqrt:
    case MathOp::abs:
    case MathOp::relu:
    case MathOp::floor:
    case MathOp::ceil:
    case MathOp::rint:
    case MathOp::trunc:
    case MathOp::logical_not:
      return {};
    case MathOp::rsqrt:
      return {2 * unit, 0};
    case MathOp::sigmoid:
    case MathOp::tanh:
      return within_4_units;
    case MathOp::gelu:
      // The argument of erfc, t = x / sqrt 2, is off by up to two units (constant and product):
      // erfc makes 2 t^2 = x^2 times that.
      return {(6 + 2 * x * x) * unit, std::isfinite(x) ? std::fabs(x) * 0x1p-125 : 0};
    case MathOp::silu:
      return {4 * unit, std::isfinite(x) ? std::max(1.0, std::fabs(x)) * 0x1p-126 : 0};
    default:
      return {2 * unit, 0x1p-149};
  }
}

// Element-wise operations of so many operands that take floats.
std::vector<MathOp> operations_of(int operands) {
  std::vector<MathOp> list;
  for (int i = 0; i < math_op_count; ++i) {
    const auto op = static_cast<MathOp>(i);
    if (kind_of(op) == MathKind::element_wise && operand_count(op) == operands &&
        !takes_integers_only(op))
      list.push_back(op);
  }
  return list;
}

// Those that IEEE 754 rounds correctly.
std::vector<MathOp> pairwise() {
  std::vector<MathOp> list = operations_of(2);
  list.erase(std::remove_if(list.begin(), list.end(),
                            [](MathOp op) { return op == MathOp::atan2 || op == MathOp::pow; }),
             list.end());
  return list;
}

std::string described(MathOp op, DType dtype, std::initializer_list<double> operands, double got,
                      double expected) {
  std::string text = std::string(name_of(op)) + " of " + std::string(name_of(dtype));
  for (const double x : operands) text += " " + std::to_string(x);
  return text + ": got " + std::to_string(got) + ", expected " + std::to_string(expected);
}

// Of two zeros of different sign either is the larger one (IEEE 754-2008, maxNum).
bool equal_zeros(MathOp op, double got, double expected) {
  return (op == MathOp::maximum || op == MathOp::minimum || op == MathOp::clamp) && got == 0 &&
         expected == 0;
}

DType dtype_of(MathOp op, const DTypes& operands) { return result_dtype(math_of(op), operands); }

}  // namespace

BOOST_AUTO_TEST_CASE(functions_of_one_operand_in_every_dtype) {
  for (const DType dtype : dtypes) {
    const TensorValue input = column(numbers_of(dtype, 500), dtype);
    const std::vector<double> x = doubles(input);
    for (const MathOp op : operations_of(1)) {
      const DType out = dtype_of(op, {dtype});
      const std::vector<double> got = evaluated(math_of(op), {input});
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool integers = !is_float(out) && !is_float(dtype);
        const double operand = integers ? x[i] : as_f32(x[i]);
        const double expected =
            integers ? reference_integer(op, out, x[i]) : reference_function(op, operand);
        const bool ok =
            integers ? got[i] == expected : right(got[i], expected, allowed_of(op, operand), out);
        BOOST_CHECK_MESSAGE(ok, described(op, dtype, {x[i]}, got[i], expected));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(functions_of_two_operands_in_every_pair_of_dtypes) {
  for (const DType left : dtypes) {
    for (const DType right_dtype : dtypes) {
      const TensorValue a = column(numbers_of(left, 12), left),
                        b = row(numbers_of(right_dtype, 12), right_dtype);
      const std::vector<double> x = doubles(a), y = doubles(b);
      for (const MathOp op : pairwise()) {
        const DType out = dtype_of(op, {left, right_dtype});
        const std::vector<double> got = evaluated(math_of(op), {a, b});
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double p = x[i / y.size()], q = y[i % y.size()];
          const bool integers = op != MathOp::div && !is_float(left) && !is_float(right_dtype);
          const DType wraps_like = promote(left, right_dtype);
          const double expected = integers ? reference_integer(op, wraps_like, p, q)
                                           : reference_function(op, as_f32(p), as_f32(q));
          const bool ok =
              integers ? got[i] == expected
                       : right(got[i], expected, {}, out) || equal_zeros(op, got[i], expected);
          BOOST_CHECK_MESSAGE(ok, described(op, out, {p, q}, got[i], expected));
        }
      }
    }
  }
}

// Rounded once: the product is exact, and a term that is lost in the sum decides at a middle.
double exact_fma(double p, double q, double r, DType dtype) {
  const double product = p * q, sum = product + r;
  const double lost = sum == product ? r : sum == r ? product : 0;
  const bool moves = lost != 0 && std::isfinite(sum);
  return reference_rounding(dtype,
                            moves ? std::nextafter(sum, std::copysign(HUGE_VAL, lost)) : sum);
}

BOOST_AUTO_TEST_CASE(functions_of_three_operands_in_every_dtype) {
  for (const DType dtype : dtypes) {
    std::vector<double> numbers = numbers_of(dtype, 4);
    const auto extent = static_cast<std::int64_t>(numbers.size());
    const TensorValue a = tensor(numbers, {extent, 1, 1}, dtype),
                      b = tensor(numbers, {1, extent, 1}, dtype),
                      c = tensor(numbers, {1, 1, extent}, dtype);
    const std::vector<double> x = doubles(a);
    const std::size_t n = x.size();
    for (const MathOp op : operations_of(3)) {
      const std::vector<double> got = evaluated(math_of(op), {a, b, c});
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double p = x[i / n / n], q = x[i / n % n], r = x[i % n];
        const double expected = !is_float(dtype)    ? reference_integer(op, dtype, p, q, r)
                                : op == MathOp::fma ? exact_fma(p, q, r, dtype)
                                                    : reference_function(op, p, q, r);
        const bool ok = is_float(dtype) ? right(got[i], expected, {}, dtype) ||
                                              equal_zeros(op, got[i], expected)
                                        : got[i] == expected;
        BOOST_CHECK_MESSAGE(ok, described(op, dtype, {p, q, r}, got[i], expected));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(immediates_behave_like_a_tensor_of_one_element) {
  for (const DType dtype : dtypes) {
    const TensorValue a = column(numbers_of(dtype, 20), dtype);
    for (const MathOp op : pairwise()) {
      for (const double immediate : {0.0, 1.0, -3.0, 100.0}) {
        MathParams params = math_of(op);
        params.operands = {MathOperand::tensor(0), MathOperand::scalar(immediate)};
        const std::vector<double> got = evaluated(params, {a}),
                                  expected =
                                      evaluated(math_of(op), {a, tensor({immediate}, {1}, dtype)});
        for (std::size_t i = 0; i < got.size(); ++i)
          BOOST_CHECK_MESSAGE(
              identical(got[i], expected[i]),
              described(op, dtype, {doubles(a)[i], immediate}, got[i], expected[i]));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(reductions_in_every_dtype) {
  for (const DType dtype : dtypes) {
    // Rows of 9: ordinary ones, and each of the special numbers in the middle of one.
    const std::vector<double> special = numbers_of(dtype, 30);
    const auto rows = static_cast<std::int64_t>(special.size());
    Numbers numbers(23);
    std::vector<double> elements =
        is_float(dtype) ? numbers.uniform(rows * 9, -2, 2) : numbers.integers(rows * 9, -128, 127);
    for (std::size_t i = 0; i < special.size(); ++i) elements[i * 9 + 4] = special[i];
    const TensorValue input = tensor(elements, {rows, 9}, dtype);
    const std::vector<double> x = doubles(input);
    const auto reduced = [&](MathOp op) {
      MathParams params = math_of(op);
      params.axis = 1;
      return evaluated(params, {input});
    };
    const std::vector<double> sum = reduced(MathOp::sum), max = reduced(MathOp::max),
                              min = reduced(MathOp::min), place = reduced(MathOp::argmax),
                              soft = reduced(MathOp::softmax);
    for (std::size_t i = 0; i < special.size(); ++i) {
      const std::vector<double> line(x.begin() + static_cast<std::ptrdiff_t>(i * 9),
                                     x.begin() + static_cast<std::ptrdiff_t>(i * 9 + 9));
      double total = 0, magnitudes = 0, largest = line[0], smallest = line[0];
      std::size_t first = 0;  // of the largest; the first NaN counts as such
      for (std::size_t k = 0; k < line.size(); ++k) {
        total += line[k];
        magnitudes += std::fabs(line[k]);
        largest = reference_function(MathOp::maximum, largest, line[k]);
        smallest = reference_function(MathOp::minimum, smallest, line[k]);
        if (!std::isnan(line[first]) && (std::isnan(line[k]) || line[k] > line[first])) first = k;
      }
      const std::string where = std::string(name_of(dtype)) + ", row " + std::to_string(i) +
                                ", with " + std::to_string(special[i]);
      // Sums of nine: each rounding adds half a unit of at most the sum of the magnitudes.
      const bool sum_ok =
          is_float(dtype)
              ? right(sum[i], total, {0, std::isfinite(total) ? 8 * unit * magnitudes : 0}, dtype)
              : sum[i] == reference_wrapped(static_cast<WideInteger>(total), DType::i32);
      BOOST_CHECK_MESSAGE(sum_ok, "sum of " << where << ": " << sum[i] << ", expected " << total);
      const auto equal = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      };
      BOOST_CHECK_MESSAGE(equal(max[i], largest), "max of " << where << ": " << max[i]);
      BOOST_CHECK_MESSAGE(equal(min[i], smallest), "min of " << where << ": " << min[i]);
      BOOST_CHECK_MESSAGE(place[i] == static_cast<double>(first),
                          "argmax of " << where << ": " << place[i] << ", expected " << first);
      double exponentials = 0;
      for (const double v : line) exponentials += std::exp(as_f32(v) - as_f32(largest));
      for (std::size_t k = 0; k < line.size(); ++k) {
        const double share = std::exp(as_f32(line[k]) - as_f32(largest)) / exponentials;
        // The difference is rounded, by up to half a unit of itself, before exp; nine exponentials
        // are added.
        const double difference = std::fabs(line[k] - largest);
        const Allowed allowed{(12 + (std::isfinite(difference) ? difference : 0)) * unit, 0x1p-149};
        BOOST_CHECK_MESSAGE(
            right(soft[i * 9 + k], share, allowed, is_float(dtype) ? dtype : DType::f32),
            "softmax of " << where << ", element " << k << ": " << soft[i * 9 + k] << ", expected "
                          << share);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
