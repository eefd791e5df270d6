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
  for (int op = 0; op < math_op_count; ++op) {
    const auto each = static_cast<MathOp>(op);
    table.set(each, static_cast<std::uint64_t>(default_cycles(each)));
  }
  return table;
}

namespace {

using Wide = unsigned __int128;

Wide rows_of(Wide elements, std::uint64_t lanes) { return (elements + lanes - 1) / lanes; }

// Rows that the compare-exchange passes of a bitonic network work through, as Triton's sort and
// topk are written. Lines are padded to n = 2^log_n elements, the kept ones to 2^log_k. Blocks of
// 2^log_k elements are sorted in log_k merges of 1, 2, ... log_k passes each. Then, until one block
// is left, a pass keeps the better half of each pair of blocks, and a merge of log_k passes sorts
// the rest. A sort keeps all.
Wide sorted_rows(const MathWork& work, std::uint64_t lanes) {
  const unsigned log_n = ceil_log2(static_cast<std::uint64_t>(work.extent));
  const unsigned log_k =
      work.op == MathOp::topk ? ceil_log2(static_cast<std::uint64_t>(work.kept)) : log_n;
  const Wide lines = static_cast<Wide>(work.elements) / static_cast<Wide>(work.extent);
  Wide rows = rows_of(lines << log_n, lanes) * (log_k * (log_k + 1) / 2);
  for (unsigned log_left = log_n; log_left > log_k; --log_left)
    rows += rows_of(lines << log_left, lanes) + rows_of(lines << (log_left - 1), lanes) * log_k;
  return rows;
}

}  // namespace

std::uint64_t MathCycles::cycles(const MathWork& work, std::uint64_t lanes) const {
  if (work.op == MathOp::softmax) {
    std::uint64_t total = 0;
    for (const MathOp part : {MathOp::max, MathOp::sub, MathOp::exp, MathOp::sum, MathOp::div})
      total += cycles(part, work.elements, lanes);
    return total;
  }
  const Wide per_row = of(work.op), rows = rows_of(static_cast<Wide>(work.elements), lanes);
  Wide cycles = rows * per_row;
  switch (kind_of(work.op)) {
    case MathKind::reduction:
      cycles += ceil_log2(lanes);
      break;
    case MathKind::scan:
      cycles *= 1 + ceil_log2(lanes);
      break;
    case MathKind::sort:
      cycles = sorted_rows(work, lanes) * per_row;
      break;
    case MathKind::element_wise:
    case MathKind::move:
      break;
  }
  if (cycles > UINT64_MAX) throw UsageError("a math operation with too many cycles");
  return static_cast<std::uint64_t>(cycles);
}

}  // namespace kernbench
