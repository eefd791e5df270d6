#include "models/timing/engine_rules.h"

#include <stdexcept>

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

std::uint64_t systolic_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                              const MacArray& array) {
  using Wide = unsigned __int128;
  const auto folds = [](std::int64_t extent, std::uint64_t cells) {
    return (static_cast<Wide>(extent) + cells - 1) / cells;
  };
  const Wide fold_cycles =
      static_cast<Wide>(k) + 2 * static_cast<Wide>(array.rows) + array.columns - 2;
  Wide cycles = 0;
  if (__builtin_mul_overflow(folds(m, array.rows) * folds(n, array.columns), fold_cycles,
                             &cycles) ||
      cycles > UINT64_MAX)
    throw UsageError("a gemm with too many cycles");
  return static_cast<std::uint64_t>(cycles);
}

std::uint64_t batch_cycles(std::int64_t batch, std::uint64_t each) {
  std::uint64_t cycles = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(batch), each, &cycles))
    throw UsageError("a batch of products with too many cycles");
  return cycles;
}

std::uint64_t first_edge_from(Fs time, const Rational& ghz) {
  const Rational edges =
      Rational::fraction(time, 1) * ghz / Rational(static_cast<std::int64_t>(fs_per_ns));
  const auto before = static_cast<std::uint64_t>(edges.num() / edges.den());
  return cycles_to_fs(before, ghz) < time ? before + 1 : before;
}

Fs end_of_cycles_from(Fs time, std::uint64_t cycles, const Rational& ghz) {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(first_edge_from(time, ghz), cycles, &end))
    throw std::overflow_error("an edge of a clock beyond 64 bits");
  return cycles_to_fs(end, ghz);
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
