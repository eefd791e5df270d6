// The element-wise functions of PE_MATH on single values, in f32 or double; NaN and infinities as
// IEEE 754 says, maximum and minimum propagate NaN.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "models/data/integer_math.h"

namespace kernbench {

inline float relu(float x) { return x < 0.0f ? 0.0f : x; }  // keeps NaN
template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}
template <class T>
T gelu(T x) {
  return T(0.5) * x * std::erfc(x * T(-0.70710678118654752));
}  // exact form, without cancellation
template <class T>
T silu(T x) {
  return x / (1 + std::exp(-x));
}

// --- Arithmetic before the rounding to the output's dtype. Double results are rounded to odd,
// which makes the second rounding correct (Boldo and Melquiond, "When double rounding is odd") ---

// Rounds to odd a number whose nearest double is `rounded`; `rest` has the sign of the difference.
inline double to_odd(double rounded, double rest) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  if (!(std::fabs(rest) > 0) || !std::isfinite(rounded) || (bits & 1) != 0) return rounded;
  return std::nextafter(rounded, std::copysign(HUGE_VAL, rest));
}
inline std::int64_t sum(std::int64_t a, std::int64_t b) { return a + b; }
inline float sum(float a, float b) { return a + b; }
inline double sum(double a, double b) {
  const double s = a + b, b_in_s = s - a;
  return to_odd(s, (a - (s - b_in_s)) + (b - b_in_s));  // TwoSum: the rest is exact
}
// Doubles hold floats here: their product is exact.
inline std::int64_t product(std::int64_t a, std::int64_t b) { return wrapping_product(a, b); }
inline float product(float a, float b) { return a * b; }
inline double product(double a, double b) { return a * b; }
inline float fused_multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
inline double fused_multiply_add(double a, double b, double c) { return sum(a * b, c); }
inline float quotient(float a, float b) { return a / b; }
inline double quotient(double a, double b) {
  const double q = a / b, rest = std::fma(-q, b, a);
  return std::isfinite(q) ? to_odd(q, b < 0 ? -rest : rest) : q;
}
inline float square_root(float a) { return std::sqrt(a); }
inline double square_root(double a) {
  const double r = std::sqrt(a);
  return std::isfinite(r) ? to_odd(r, std::fma(-r, r, a)) : r;
}

template <class T>
T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}
template <class T>
T clamp(T x, T low, T high) {
  return minimum(maximum(x, low), high);
}

}  // namespace kernbench
