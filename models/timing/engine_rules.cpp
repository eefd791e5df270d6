#include "models/timing/engine_rules.h"

#include "models/base/errors.h"

namespace kernbench {

std::uint64_t gemm_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                          std::uint64_t macs_per_cycle) {
  unsigned __int128 macs = static_cast<unsigned __int128>(m) * static_cast<unsigned __int128>(k);
  if (__builtin_mul_overflow(macs, static_cast<unsigned __int128>(n), &macs))
    throw UsageError("a gemm with too many multiplications");
  const unsigned __int128 cycles = macs / macs_per_cycle + (macs % macs_per_cycle != 0 ? 1 : 0);
  if (cycles > UINT64_MAX) throw UsageError("a gemm with too many multiplications");
  return static_cast<std::uint64_t>(cycles);
}

unsigned ceil_log2(std::uint64_t lanes) {
  unsigned depth = 0;
  while (depth < 64 && (std::uint64_t{1} << depth) < lanes) ++depth;
  return depth;
}

MathCycles MathCycles::defaults() {
  MathCycles table;
  for (const MathOp op :
       {MathOp::exp, MathOp::log, MathOp::sqrt, MathOp::sigmoid, MathOp::sin, MathOp::cos})
    table.set(op, 4);
  return table;
}

std::uint64_t MathCycles::cycles(MathOp op, std::int64_t elements, std::uint64_t lanes) const {
  if (op == MathOp::softmax) {
    std::uint64_t total = 0;
    for (const MathOp part : {MathOp::max, MathOp::sub, MathOp::exp, MathOp::sum, MathOp::div})
      total += cycles(part, elements, lanes);
    return total;
  }
  const std::uint64_t rows = (static_cast<std::uint64_t>(elements) + lanes - 1) / lanes;
  return rows * of(op) + (is_reduction(op) ? ceil_log2(lanes) : 0);
}

}  // namespace kernbench
