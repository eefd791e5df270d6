// The element-wise functions of PE_MATH on single values, in f32; NaN and infinities as IEEE 754
// says, maximum and minimum propagate NaN.
#pragma once

#include <cmath>
#include <cstdint>

namespace kernbench {

inline float relu(float x) { return x < 0.0f ? 0.0f : x; }  // keeps NaN
inline float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
inline float gelu(float x) {
  return 0.5f * x * std::erfc(x * -0.70710678118654752f);
}  // exact form, without cancellation
inline float silu(float x) { return x / (1.0f + std::exp(-x)); }

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
