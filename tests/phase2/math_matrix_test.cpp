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
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "models/data/shape_rules.h"
#include "tests/phase2/phase2_fixture.h"
#include "tests/phase2/special_numbers.h"
#include "tests/support/reference_rounding.h"

using namespace kernbench;
using test::identical;
using test::reference_rounding;

BOOST_AUTO_TEST_SUITE(math_matrix_test)

namespace {

double as_f32(double x) { return reference_rounding(DType::f32, x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// NaN wins.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
}
double smaller(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
}

// Two's complement of the integers of a dtype.
double wrapped_around(__int128 value, DType dtype) {
  const __int128 modulus = __int128{1} << (dtype == DType::i8 ? 8 : 32);
  const __int128 rest = (value % modulus + modulus) % modulus;
  return static_cast<double>(rest < modulus / 2 ? rest : rest - modulus);
}

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

struct Function {
  MathOp op;
  std::function<double(double)> reference;
  std::function<Allowed(double)> allowed;
};

Allowed exact(double) { return {}; }
Allowed within_2_units(double) { return {2 * unit, 0x1p-149}; }

// sigmoid, silu and gelu pass through an intermediate result that leaves the range of f32 where
// they are below its normal numbers.
Allowed within_4_units(double) { return {4 * unit, 0x1p-126}; }
// The argument of erfc, t = x / sqrt 2, is off by up to two units (constant and product): erfc
// makes 2 t^2 = x^2 times that.
Allowed of_gelu(double x) {
  return {(6 + 2 * x * x) * unit, std::isfinite(x) ? std::fabs(x) * 0x1p-125 : 0};
}
Allowed of_silu(double x) {
  return {4 * unit, std::isfinite(x) ? std::max(1.0, std::fabs(x)) * 0x1p-126 : 0};
}

const std::vector<Function>& functions() {
  static const std::vector<Function> list{
      {MathOp::exp, [](double x) { return std::exp(x); }, within_2_units},
      {MathOp::log, [](double x) { return std::log(x); }, within_2_units},
      {MathOp::sqrt, [](double x) { return std::sqrt(x); }, exact},
      {MathOp::rsqrt, [](double x) { return 1 / std::sqrt(x); },
       [](double) {
         return Allowed{2 * unit, 0};
       }},
      {MathOp::abs, [](double x) { return std::fabs(x); }, exact},
      {MathOp::sigmoid, sigmoid, within_4_units},
      {MathOp::cos, [](double x) { return std::cos(x); }, within_2_units},
      {MathOp::sin, [](double x) { return std::sin(x); }, within_2_units},
      {MathOp::tanh, [](double x) { return std::tanh(x); }, within_4_units},
      {MathOp::relu, [](double x) { return x < 0 ? 0 : x; }, exact},
      {MathOp::gelu, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }, of_gelu},
      {MathOp::silu, [](double x) { return x / (1 + std::exp(-x)); }, of_silu},
      {MathOp::exp2, [](double x) { return std::exp2(x); }, within_2_units},
      {MathOp::log2, [](double x) { return std::log2(x); }, within_2_units},
      {MathOp::erf, [](double x) { return std::erf(x); }, within_2_units},
      {MathOp::asin, [](double x) { return std::asin(x); }, within_2_units},
      {MathOp::acos, [](double x) { return std::acos(x); }, within_2_units},
      {MathOp::atan, [](double x) { return std::atan(x); }, within_2_units},
      {MathOp::log1p, [](double x) { return std::log1p(x); }, within_2_units},
      {MathOp::expm1, [](double x) { return std::expm1(x); }, within_2_units},
      {MathOp::floor, [](double x) { return std::floor(x); }, exact},
      {MathOp::ceil, [](double x) { return std::ceil(x); }, exact},
      {MathOp::rint, [](double x) { return std::nearbyint(x); }, exact},
      {MathOp::trunc, [](double x) { return std::trunc(x); }, exact},
      {MathOp::logical_not, [](double x) { return x == 0; }, exact},
  };
  return list;
}

std::string described(MathOp op, DType dtype, std::initializer_list<double> operands, double got,
                      double expected) {
  std::string text = std::string(name_of(op)) + " of " + std::string(name_of(dtype));
  for (const double x : operands) text += " " + std::to_string(x);
  return text + ": got " + std::to_string(got) + ", expected " + std::to_string(expected);
}

struct Pairs {
  MathOp op;
  std::function<double(double, double)> in_floats;
  std::function<__int128(__int128, __int128)> in_integers;  // null: integers go through f32
};

const std::vector<Pairs>& pairwise() {
  static const std::vector<Pairs> list{
      {MathOp::add, [](double a, double b) { return a + b; },
       [](__int128 a, __int128 b) { return a + b; }},
      {MathOp::sub, [](double a, double b) { return a - b; },
       [](__int128 a, __int128 b) { return a - b; }},
      {MathOp::mul, [](double a, double b) { return a * b; },
       [](__int128 a, __int128 b) { return a * b; }},
      {MathOp::div, [](double a, double b) { return a / b; }, nullptr},
      {MathOp::maximum, larger, [](__int128 a, __int128 b) { return std::max(a, b); }},
      {MathOp::minimum, smaller, [](__int128 a, __int128 b) { return std::min(a, b); }},
      {MathOp::mod, [](double a, double b) { return std::fmod(a, b); },
       [](__int128 a, __int128 b) { return b == 0 ? a : a % b; }},
      {MathOp::eq, [](double a, double b) { return a == b; },
       [](__int128 a, __int128 b) { return a == b; }},
      {MathOp::ne, [](double a, double b) { return a != b; },
       [](__int128 a, __int128 b) { return a != b; }},
      {MathOp::lt, [](double a, double b) { return a < b; },
       [](__int128 a, __int128 b) { return a < b; }},
      {MathOp::le, [](double a, double b) { return a <= b; },
       [](__int128 a, __int128 b) { return a <= b; }},
      {MathOp::gt, [](double a, double b) { return a > b; },
       [](__int128 a, __int128 b) { return a > b; }},
      {MathOp::ge, [](double a, double b) { return a >= b; },
       [](__int128 a, __int128 b) { return a >= b; }},
      {MathOp::logical_and, [](double a, double b) { return a != 0 && b != 0; },
       [](__int128 a, __int128 b) { return a != 0 && b != 0; }},
      {MathOp::logical_or, [](double a, double b) { return a != 0 || b != 0; },
       [](__int128 a, __int128 b) { return a != 0 || b != 0; }},
  };
  return list;
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
    for (const Function& function : functions()) {
      const DType out = dtype_of(function.op, {dtype});
      const std::vector<double> got = evaluated(math_of(function.op), {input});
      for (std::size_t i = 0; i < x.size(); ++i) {
        const bool integers = !is_float(out);
        const double operand = integers ? x[i] : as_f32(x[i]);
        const double expected = function.reference(operand);
        const bool ok = integers ? got[i] == wrapped_around(static_cast<__int128>(expected), out)
                                 : right(got[i], expected, function.allowed(operand), out);
        BOOST_CHECK_MESSAGE(ok, described(function.op, dtype, {x[i]}, got[i], expected));
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
      for (const Pairs& pair : pairwise()) {
        const DType out = dtype_of(pair.op, {left, right_dtype});
        const std::vector<double> got = evaluated(math_of(pair.op), {a, b});
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double p = x[i / y.size()], q = y[i % y.size()];
          const bool integers = pair.in_integers && !is_float(left) && !is_float(right_dtype);
          const double expected =
              integers
                  ? wrapped_around(
                        pair.in_integers(static_cast<__int128>(p), static_cast<__int128>(q)), out)
                  : pair.in_floats(as_f32(p), as_f32(q));
          const bool ok =
              integers ? got[i] == expected
                       : right(got[i], expected, {}, out) || equal_zeros(pair.op, got[i], expected);
          BOOST_CHECK_MESSAGE(ok, described(pair.op, out, {p, q}, got[i], expected));
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
    const auto check = [&](MathOp op,
                           const std::function<double(double, double, double)>& reference) {
      const std::vector<double> got = evaluated(math_of(op), {a, b, c});
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double p = x[i / n / n], q = x[i / n % n], r = x[i % n];
        const double expected = reference(p, q, r);
        const bool ok = is_float(dtype) ? right(got[i], expected, {}, dtype) ||
                                              equal_zeros(op, got[i], expected)
                                        : got[i] == expected;
        BOOST_CHECK_MESSAGE(ok, described(op, dtype, {p, q, r}, got[i], expected));
      }
    };
    check(MathOp::where,
          [](double p, double q, double r) { return p != 0 ? q : r; });  // NaN is not zero
    check(MathOp::clamp, [](double p, double q, double r) { return smaller(larger(p, q), r); });
    check(MathOp::fma, [dtype](double p, double q, double r) {
      if (is_float(dtype)) return exact_fma(p, q, r, dtype);
      return wrapped_around(
          static_cast<__int128>(p) * static_cast<__int128>(q) + static_cast<__int128>(r), dtype);
    });
  }
}

BOOST_AUTO_TEST_CASE(immediates_behave_like_a_tensor_of_one_element) {
  for (const DType dtype : dtypes) {
    const TensorValue a = column(numbers_of(dtype, 20), dtype);
    for (const Pairs& pair : pairwise()) {
      for (const double immediate : {0.0, 1.0, -3.0, 100.0}) {
        MathParams params = math_of(pair.op);
        params.operands = {MathOperand::tensor(0), MathOperand::scalar(immediate)};
        const std::vector<double> got = evaluated(params, {a}),
                                  expected = evaluated(math_of(pair.op),
                                                       {a, tensor({immediate}, {1}, dtype)});
        for (std::size_t i = 0; i < got.size(); ++i)
          BOOST_CHECK_MESSAGE(
              identical(got[i], expected[i]),
              described(pair.op, dtype, {doubles(a)[i], immediate}, got[i], expected[i]));
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
        largest = larger(largest, line[k]);
        smallest = smaller(smallest, line[k]);
        if (!std::isnan(line[first]) && (std::isnan(line[k]) || line[k] > line[first])) first = k;
      }
      const std::string where = std::string(name_of(dtype)) + ", row " + std::to_string(i) +
                                ", with " + std::to_string(special[i]);
      // Sums of nine: each rounding adds half a unit of at most the sum of the magnitudes.
      const bool sum_ok =
          is_float(dtype)
              ? right(sum[i], total, {0, std::isfinite(total) ? 8 * unit * magnitudes : 0}, dtype)
              : sum[i] == wrapped_around(static_cast<__int128>(total), DType::i32);
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
