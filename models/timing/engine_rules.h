// Cycle counts of PE_GEMM and PE_MATH (spec 5). Exact integers; a clock converts them to time
// (cycles_to_fs).
#pragma once

#include <array>
#include <cstdint>

#include "models/base/math_op.h"

namespace kernbench {

// ceil(m * k * n / macs_per_cycle). Throws UsageError if the product exceeds 127 bits or the count
// 64 bits.
std::uint64_t gemm_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                          std::uint64_t macs_per_cycle);

// Smallest n with 2^n >= lanes: the depth of a reduction tree.
unsigned ceil_log2(std::uint64_t lanes);

// Cycles of each op per row of `lanes` elements. Softmax has no entry of its own: it is the sum of
// its parts.
class MathCycles {
 public:
  MathCycles() { per_op_.fill(1); }
  // exp, log, sqrt, sigmoid, sin, cos 4; the others 1 (spec 5).
  static MathCycles defaults();

  void set(MathOp op, std::uint64_t cycles) { per_op_[static_cast<std::size_t>(op)] = cycles; }
  std::uint64_t of(MathOp op) const { return per_op_[static_cast<std::size_t>(op)]; }

  // ceil(elements / lanes) * cycles_per_op(op), and ceil(log2 lanes) more for a reduction. Softmax:
  // max, sub, exp, sum, div.
  std::uint64_t cycles(MathOp op, std::int64_t elements, std::uint64_t lanes) const;

 private:
  std::array<std::uint64_t, math_op_count> per_op_{};
};

}  // namespace kernbench
