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

}  // namespace

// T: float, or double for results that are rounded to f16 or bf16; doubles hold floats here. Bound
// to the rows of models/base/math_op.def by their names, below.
namespace math_functions {
namespace {

// --- One operand

inline float sqrt(float x) { return std::sqrt(x); }
inline double sqrt(double x) {
  const double r = std::sqrt(x);
  return std::isfinite(r) ? to_odd(r, std::fma(-r, r, x)) : r;
}
constexpr auto exp = [](auto x) { return std::exp(x); };
constexpr auto log = [](auto x) { return std::log(x); };
constexpr auto rsqrt = [](auto x) { return 1 / std::sqrt(x); };
constexpr auto abs = [](auto x) { return std::abs(x); };
constexpr auto cos = [](auto x) { return std::cos(x); };
constexpr auto sin = [](auto x) { return std::sin(x); };
constexpr auto tanh = [](auto x) { return std::tanh(x); };
constexpr auto exp2 = [](auto x) { return std::exp2(x); };
constexpr auto log2 = [](auto x) { return std::log2(x); };
constexpr auto erf = [](auto x) { return std::erf(x); };
constexpr auto asin = [](auto x) { return std::asin(x); };
constexpr auto acos = [](auto x) { return std::acos(x); };
constexpr auto atan = [](auto x) { return std::atan(x); };
constexpr auto log1p = [](auto x) { return std::log1p(x); };
constexpr auto expm1 = [](auto x) { return std::expm1(x); };
constexpr auto floor = [](auto x) { return std::floor(x); };
constexpr auto ceil = [](auto x) { return std::ceil(x); };
constexpr auto rint = [](auto x) { return std::nearbyint(x); };
constexpr auto trunc = [](auto x) { return std::trunc(x); };
constexpr auto logical_not = [](auto x) { return x == 0; };

// --- Two operands

inline float add(float x, float y) { return x + y; }
inline double add(double x, double y) {
  const double s = x + y, y_in_s = s - x;
  return to_odd(s, (x - (s - y_in_s)) + (y - y_in_s));  // TwoSum: the rest is exact
}
constexpr auto sub = [](auto x, auto y) { return add(x, -y); };
constexpr auto mul = [](auto x, auto y) { return x * y; };  // of floats in double: exact
inline float div(float x, float y) { return x / y; }
inline double div(double x, double y) {
  const double q = x / y, rest = std::fma(-q, y, x);
  return std::isfinite(q) ? to_odd(q, y < 0 ? -rest : rest) : q;
}
constexpr auto mod = [](auto x, auto y) { return std::fmod(x, y); };
constexpr auto atan2 = [](auto x, auto y) { return std::atan2(x, y); };
constexpr auto pow = [](auto x, auto y) { return std::pow(x, y); };
// Comparisons follow IEEE 754: NaN differs from everything and is not zero.
constexpr auto eq = [](auto x, auto y) { return x == y; };
constexpr auto ne = [](auto x, auto y) { return x != y; };
constexpr auto lt = [](auto x, auto y) { return x < y; };
constexpr auto le = [](auto x, auto y) { return x <= y; };
constexpr auto gt = [](auto x, auto y) { return x > y; };
constexpr auto ge = [](auto x, auto y) { return x >= y; };
constexpr auto logical_and = [](auto x, auto y) { return x != 0 && y != 0; };
constexpr auto logical_or = [](auto x, auto y) { return x != 0 || y != 0; };

// --- Three operands

inline float fma(float x, float y, float z) { return std::fma(x, y, z); }
inline double fma(double x, double y, double z) { return add(x * y, z); }
constexpr auto where = [](auto condition, auto x, auto y) { return condition != 0 ? x : y; };

}  // namespace
}  // namespace math_functions

namespace {

template <class Function, class T, class... Others>
void each(std::int64_t count, Function function, T* x, const Others*... others) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = function(x[i], others[i]...);
}

template <class T>
void apply(MathOp op, T* x, const T* y, const T* z, std::int64_t count) {
  switch (op) {
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, cycles, integers, result) APPLY_##integers(name, operands)
#define APPLY_only(name, operands)
#define APPLY_allowed(name, operands) \
  case MathOp::name:                  \
    return each(                      \
        count, [](auto... v) { return math_functions::name(v...); }, OPERANDS_##operands);
#include "models/base/math_op.def"
#undef APPLY_only
#undef APPLY_allowed
    default:
      throw ModelError(fmt::format("'{}' has no function of floats", name_of(op)));
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
  switch (op) {
#define MATH_OP(...)
#define ELEMENT_WISE(name, operands, cycles, integers, result) APPLY_##result(name, operands)
#define APPLY_fraction(name, operands)
#define APPLY_mask APPLY_number
#define APPLY_number(name, operands) \
  case MathOp::name:                 \
    return each(                     \
        count, [](auto... v) { return integer_math::name(v...); }, OPERANDS_##operands);
#include "models/base/math_op.def"
#undef APPLY_fraction
#undef APPLY_mask
#undef APPLY_number
    default:
      throw ModelError(fmt::format("'{}' has no integer form", name_of(op)));
  }
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
