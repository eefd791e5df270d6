// Values for collectives: exact in every element type, except for averages, whatever the order in
// which they are combined, and different on every rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "sw/collectives/reduce_op.h"
#include "sw/runtime/expectation.h"
#include "sw/runtime/host_array.h"

namespace kernbench::test {

// Element i of contributor c of n. The mean over the contributors is an integer; products are
// powers of two, of which the first six contributors have some.
inline double pattern(ReduceOp op, int c, int n, std::int64_t i) {
  if (op == ReduceOp::prod) return c < 6 && (i + c) % 3 == 0 ? 2 : (i + 2 * c) % 5 == 0 ? -1 : 1;
  return static_cast<double>(i % 7 + 2 * c - (n - 1));
}

inline std::int32_t bits(double value) { return static_cast<std::int32_t>(value); }

inline double combined(ReduceOp op, int n, std::int64_t i) {
  double value = pattern(op, 0, n, i);
  for (int c = 1; c < n; ++c) {
    const double other = pattern(op, c, n, i);
    switch (op) {
      case ReduceOp::max:
        value = std::max(value, other);
        break;
      case ReduceOp::min:
        value = std::min(value, other);
        break;
      case ReduceOp::prod:
        value *= other;
        break;
      case ReduceOp::band:
        value = static_cast<double>(bits(value) & bits(other));
        break;
      case ReduceOp::bor:
        value = static_cast<double>(bits(value) | bits(other));
        break;
      case ReduceOp::bxor:
        value = static_cast<double>(bits(value) ^ bits(other));
        break;
      case ReduceOp::sum:
      case ReduceOp::avg:
        value += other;
        break;
    }
  }
  return op == ReduceOp::avg ? value / n : value;
}

inline std::vector<double> values(std::int64_t elements,
                                  const std::function<double(std::int64_t)>& of) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < elements; ++i) all.push_back(of(i));
  return all;
}

inline const std::vector<ReduceOp> every_reduction{ReduceOp::sum, ReduceOp::max, ReduceOp::min,
                                                   ReduceOp::prod, ReduceOp::avg};
inline const std::vector<DType> every_dtype{DType::f16, DType::bf16, DType::f32, DType::i32};

// avg divides before it adds (spec 8.2): a summand is at most (n + 5) / n, and a chain has a
// rounding for each of n ranks (docs/decisions/reduction-semantics.md).
inline Accuracy accuracy_of(ReduceOp op, int ranks) {
  if (op != ReduceOp::avg) return {};
  return {static_cast<double>(ranks), (ranks + 5.0) / ranks};
}

}  // namespace kernbench::test
