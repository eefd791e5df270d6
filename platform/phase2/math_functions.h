// Functions of PE_MATH by the names of models/base/math_op.def, on runs of values and on single
// ones. NaN and infinities follow IEEE 754; maximum and minimum propagate NaN.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "models/base/math_op.h"

namespace kernbench {

// x[i] = op(x[i], y[i], z[i]), of as many operands as the op has. Computed in f32, in integers that
// are not wrapped yet, or in double where an f32 result would be rounded twice: then rounded to
// odd, so that the rounding to the output's dtype is correct (Boldo and Melquiond, "When double
// rounding is odd"). Throws ModelError for ops that have no function of these numbers.
void apply_function(MathOp op, float* x, const float* y, const float* z, std::int64_t count);
void apply_function(MathOp op, double* x, const double* y, const double* z, std::int64_t count);
void apply_function(MathOp op, std::int64_t* x, const std::int64_t* y, const std::int64_t* z,
                    std::int64_t count);

// Functions that epilogues and reductions use, too; the others are in math_functions.cpp.
namespace math_functions {

template <class T>
T relu(T x) {
  return x < T(0) ? T(0) : x;  // keeps NaN
}
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
template <class T>
T maximum(T x, T y) {
  return x > y || x != x ? x : y;
}
template <class T>
T minimum(T x, T y) {
  return x < y || x != x ? x : y;
}
template <class T>
T clamp(T x, T low, T high) {
  return minimum(maximum(x, low), high);
}

}  // namespace math_functions

// --- Random numbers of Triton's functions: the counter is (offset, 0, 0, 0), the key the 64 bits
// of the seed

// Philox 4x32 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four
// words of a counter, enciphered with a key.
using PhiloxWords = std::array<std::uint32_t, 4>;

PhiloxWords philox4x32(PhiloxWords counter, std::uint64_t key, int rounds);
// Number in [0, 1), and a normal one from two of those (Box and Muller).
float uniform_float(std::uint32_t word);
float normal_float(float u1, float u2);

}  // namespace kernbench
