// Cycle counts of PE_GEMM and PE_MATH (spec 5). Exact integers; a clock converts them to time
// (cycles_to_fs).
#pragma once

#include <array>
#include <cstdint>

#include "models/base/math_op.h"
#include "models/base/units.h"

namespace kernbench {

// ceil(m * k * n / macs_per_cycle). Throws UsageError if the product exceeds 127 bits or the count
// 64 bits.
std::uint64_t gemm_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                          std::uint64_t macs_per_cycle);

// A two-dimensional array of cells, each with one multiply-accumulate per cycle.
struct MacArray {
  std::uint64_t rows = 1, columns = 1;
};

// Cycles of an output-stationary systolic array: ceil(m / rows) * ceil(n / columns) sequential
// folds of k + 2 * rows + columns - 2 cycles each. Cell (i, j) holds one element of a fold's
// output. The operands of step t enter at the left and upper edges, those of row i and column j
// delayed by i and j cycles, and reach cell (i, j) in cycle t + i + j: the last cell has its last
// product after k + (rows - 1) + (columns - 1) cycles. The rows of the output then leave over one
// edge, one per cycle: `rows` cycles more. A fold at an edge of the output takes the same time: the
// depth of the array is the same.
//
// The runtime of SCALE-Sim's analytical model, (2R + C + T - 2) * ceil(S_R / R) * ceil(S_C / C)
// with S_R = m, S_C = n, T = k (A. Samajdar et al., ISPASS 2020; its formula was at hand as quoted
// by others). The program SCALE-Sim v2 leaves out the last `rows` cycles:
// systolic_compute_os.py, create_ofmap_demand_mat, T - 1 + R + C - 1.
//
// Throws UsageError if the count exceeds 64 bits.
std::uint64_t systolic_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                              const MacArray& array);

// Cycles of a batch of products, `each` of which takes this many: they share neither a cycle nor a
// fold, since the array holds the operands of one product at a time. Throws UsageError if the count
// exceeds 64 bits.
std::uint64_t batch_cycles(std::int64_t batch, std::uint64_t each);

// Edges of a clock of `ghz` GHz are at cycles_to_fs(0), cycles_to_fs(1), ...: index of the first
// one at or after `time`.
std::uint64_t first_edge_from(Fs time, const Rational& ghz);
// End of `cycles` that begin at the first edge at or after `time`. Throws std::overflow_error
// beyond 64 bits.
Fs end_of_cycles_from(Fs time, std::uint64_t cycles, const Rational& ghz);

// Smallest n with 2^n >= lanes: the depth of a reduction tree.
unsigned ceil_log2(std::uint64_t lanes);

// Inputs of the duration of an operation of PE_MATH.
struct MathWork {
  MathOp op = MathOp::add;
  std::int64_t elements = 1;  // elements of the widest operand
  std::int64_t extent = 1;    // sort, topk: elements of a line
  std::int64_t kept = 1;      // topk: how many of them are kept
};

// Cycles of each op per row of `lanes` elements. Softmax has no entry of its own: it is the sum of
// its parts.
class MathCycles {
 public:
  MathCycles() { per_op_.fill(1); }
  static MathCycles defaults();  // default_cycles()

  void set(MathOp op, std::uint64_t cycles) { per_op_[static_cast<std::size_t>(op)] = cycles; }
  std::uint64_t of(MathOp op) const { return per_op_[static_cast<std::size_t>(op)]; }

  // With rows = ceil(elements / lanes) and c = cycles_per_op(op) (spec 5.6):
  //   element-wise, move: rows * c; reduction: ceil(log2 lanes) more; softmax: max, sub, exp, sum,
  //   div; scan: rows * c * (1 + ceil(log2 lanes)); sort, topk: the passes of a bitonic network.
  // UsageError if the count exceeds 64 bits.
  std::uint64_t cycles(const MathWork& work, std::uint64_t lanes) const;
  std::uint64_t cycles(MathOp op, std::int64_t elements, std::uint64_t lanes) const {
    return cycles({op, elements, 1, 1}, lanes);
  }

 private:
  std::array<std::uint64_t, math_op_count> per_op_{};
};

}  // namespace kernbench
