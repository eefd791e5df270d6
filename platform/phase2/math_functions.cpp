#include "platform/phase2/math_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/base/errors.h"
#include "models/data/integer_math.h"

namespace kernbench {
namespace {

// Rounds to odd a number whose nearest double is `rounded`; `rest` has the sign of the difference.
double to_odd(double rounded, double rest) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  if (!(std::fabs(rest) > 0) || !std::isfinite(rounded) || (bits & 1) != 0) return rounded;
  return std::nextafter(rounded, std::copysign(HUGE_VAL, rest));
}
std::int64_t sum(std::int64_t a, std::int64_t b) { return a + b; }
float sum(float a, float b) { return a + b; }
double sum(double a, double b) {
  const double s = a + b, b_in_s = s - a;
  return to_odd(s, (a - (s - b_in_s)) + (b - b_in_s));  // TwoSum: the rest is exact
}
// Doubles hold floats here: their product is exact.
std::int64_t product(std::int64_t a, std::int64_t b) { return wrapping_product(a, b); }
float product(float a, float b) { return a * b; }
double product(double a, double b) { return a * b; }
float fused_multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
double fused_multiply_add(double a, double b, double c) { return sum(a * b, c); }
float quotient(float a, float b) { return a / b; }
double quotient(double a, double b) {
  const double q = a / b, rest = std::fma(-q, b, a);
  return std::isfinite(q) ? to_odd(q, b < 0 ? -rest : rest) : q;
}
float square_root(float a) { return std::sqrt(a); }
double square_root(double a) {
  const double r = std::sqrt(a);
  return std::isfinite(r) ? to_odd(r, std::fma(-r, r, a)) : r;
}

template <class T, class Function>
void unary(T* x, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = function(x[i]);
}

template <class T, class Function>
void binary(T* x, const T* y, std::int64_t count, Function function) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = function(x[i], y[i]);
}

// Ops that are the same on both kinds of number; returns false for other ops.
template <class T>
bool apply_common(MathOp op, T* x, const T* y, const T* z, std::int64_t count) {
  switch (op) {
    case MathOp::add:
      binary(x, y, count, [](T a, T b) { return sum(a, b); });
      return true;
    case MathOp::sub:
      binary(x, y, count, [](T a, T b) { return sum(a, -b); });
      return true;
    case MathOp::mul:
      binary(x, y, count, [](T a, T b) { return product(a, b); });
      return true;
    case MathOp::maximum:
      binary(x, y, count, [](T a, T b) { return maximum(a, b); });
      return true;
    case MathOp::minimum:
      binary(x, y, count, [](T a, T b) { return minimum(a, b); });
      return true;
    case MathOp::abs:
      unary(x, count, [](T a) { return std::abs(a); });
      return true;
    case MathOp::relu:
      unary(x, count, [](T a) { return a < T{0} ? T{0} : a; });
      return true;
    case MathOp::clamp:
      for (std::int64_t i = 0; i < count; ++i) x[i] = clamp(x[i], y[i], z[i]);
      return true;
    default:
      return false;
  }
}

// Comparisons follow IEEE 754: NaN differs from everything and is not zero.
template <class T>
bool apply_mask(MathOp op, T* x, const T* y, std::int64_t count) {
  switch (op) {
    case MathOp::eq:
      binary(x, y, count, [](T a, T b) { return T(a == b); });
      return true;
    case MathOp::ne:
      binary(x, y, count, [](T a, T b) { return T(a != b); });
      return true;
    case MathOp::lt:
      binary(x, y, count, [](T a, T b) { return T(a < b); });
      return true;
    case MathOp::le:
      binary(x, y, count, [](T a, T b) { return T(a <= b); });
      return true;
    case MathOp::gt:
      binary(x, y, count, [](T a, T b) { return T(a > b); });
      return true;
    case MathOp::ge:
      binary(x, y, count, [](T a, T b) { return T(a >= b); });
      return true;
    case MathOp::logical_and:
      binary(x, y, count, [](T a, T b) { return T(a != 0 && b != 0); });
      return true;
    case MathOp::logical_or:
      binary(x, y, count, [](T a, T b) { return T(a != 0 || b != 0); });
      return true;
    case MathOp::logical_not:
      unary(x, count, [](T a) { return T(a == 0); });
      return true;
    default:
      return false;
  }
}

// T: float, or double for results that are rounded to f16 or bf16.
template <class T>
void apply(MathOp op, T* x, const T* y, const T* z, std::int64_t count) {
  if (apply_common(op, x, y, z, count) || apply_mask(op, x, y, count)) return;
  switch (op) {
    case MathOp::exp:
      return unary(x, count, [](T a) { return std::exp(a); });
    case MathOp::log:
      return unary(x, count, [](T a) { return std::log(a); });
    case MathOp::sqrt:
      return unary(x, count, [](T a) { return square_root(a); });
    case MathOp::rsqrt:
      return unary(x, count, [](T a) { return 1 / std::sqrt(a); });
    case MathOp::sigmoid:
      return unary(x, count, [](T a) { return sigmoid(a); });
    case MathOp::cos:
      return unary(x, count, [](T a) { return std::cos(a); });
    case MathOp::sin:
      return unary(x, count, [](T a) { return std::sin(a); });
    case MathOp::tanh:
      return unary(x, count, [](T a) { return std::tanh(a); });
    case MathOp::gelu:
      return unary(x, count, [](T a) { return gelu(a); });
    case MathOp::silu:
      return unary(x, count, [](T a) { return silu(a); });
    case MathOp::exp2:
      return unary(x, count, [](T a) { return std::exp2(a); });
    case MathOp::log2:
      return unary(x, count, [](T a) { return std::log2(a); });
    case MathOp::erf:
      return unary(x, count, [](T a) { return std::erf(a); });
    case MathOp::asin:
      return unary(x, count, [](T a) { return std::asin(a); });
    case MathOp::acos:
      return unary(x, count, [](T a) { return std::acos(a); });
    case MathOp::atan:
      return unary(x, count, [](T a) { return std::atan(a); });
    case MathOp::log1p:
      return unary(x, count, [](T a) { return std::log1p(a); });
    case MathOp::expm1:
      return unary(x, count, [](T a) { return std::expm1(a); });
    case MathOp::atan2:
      return binary(x, y, count, [](T a, T b) { return std::atan2(a, b); });
    case MathOp::pow:
      return binary(x, y, count, [](T a, T b) { return std::pow(a, b); });
    case MathOp::floor:
      return unary(x, count, [](T a) { return std::floor(a); });
    case MathOp::ceil:
      return unary(x, count, [](T a) { return std::ceil(a); });
    case MathOp::rint:
      return unary(x, count, [](T a) { return std::nearbyint(a); });
    case MathOp::trunc:
      return unary(x, count, [](T a) { return std::trunc(a); });
    case MathOp::mod:
      return binary(x, y, count, [](T a, T b) { return std::fmod(a, b); });
    case MathOp::div:
      return binary(x, y, count, [](T a, T b) { return quotient(a, b); });
    case MathOp::fma:
      for (std::int64_t i = 0; i < count; ++i) x[i] = fused_multiply_add(x[i], y[i], z[i]);
      return;
    default:
      throw ModelError(fmt::format("'{}' is not element-wise", name_of(op)));
  }
}

}  // namespace

void apply_function(MathOp op, float* x, const float* y, const float* z, std::int64_t count) {
  apply(op, x, y, z, count);
}
void apply_function(MathOp op, double* x, const double* y, const double* z, std::int64_t count) {
  apply(op, x, y, z, count);
}
void apply_function(MathOp op, std::int64_t* x, const std::int64_t* y, const std::int64_t* z,
                    std::int64_t count) {
  if (apply_common(op, x, y, z, count)) return;
  for (std::int64_t i = 0; i < count; ++i) x[i] = integer_result(op, x[i], y[i], z[i]);
}

// --- Random numbers

PhiloxWords philox4x32(PhiloxWords counter, std::uint64_t key, int rounds) {
  auto low_key = static_cast<std::uint32_t>(key), high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0],
                        b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low_key, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high_key, static_cast<std::uint32_t>(a)};
    low_key += 0x9e3779b9;
    high_key += 0xbb67ae85;
  }
  return counter;
}

// The sign is folded away, and the scale is just below 2^-31, so that the largest integer stays
// below 1.
float uniform_float(std::uint32_t word) {
  const std::uint32_t folded = (word & 0x80000000u) != 0 ? ~word : word;
  return static_cast<float>(static_cast<std::int32_t>(folded)) * 4.6566127342e-10f;
}

float normal_float(float u1, float u2) {
  const float angle = 6.283185307179586f * u2;
  return std::sqrt(-2.0f * std::log(std::max(1.0e-7f, u1))) * std::cos(angle);
}

}  // namespace kernbench
