// Composites as the tests of the tile pipeline submit them. Times are ns; 32 x 64 x 32 in f16: A
// and B 4096 B each, FETCH of both at 512 GB/s 16 ns, GEMM 16 ns, accumulator 4096 B, STORE of 2048
// B 4 ns.
#pragma once

#include <boost/test/unit_test.hpp>

#include "tests/pe/pe_testbench.h"

namespace kernbench::test {

inline constexpr Fs ns = fs_per_ns;
inline constexpr std::uint64_t mib = PeTestbench::memory_bytes;

inline CompositeGemm pinned_gemm(std::int64_t m = 32, std::int64_t k = 64, std::int64_t n = 32) {
  CompositeGemm g;
  g.m = m;
  g.k = k;
  g.n = n;
  g.a.pinned = g.b.pinned = g.out.pinned = true;
  return g;
}

// A and B in mem0 and mem1, the result in mem2.
inline CompositeGemm memory_gemm(std::int64_t m = 32, std::int64_t k = 64, std::int64_t n = 32) {
  CompositeGemm g = pinned_gemm(m, k, n);
  g.a.pinned = g.b.pinned = g.out.pinned = false;
  g.b.address = mib;
  g.out.address = 2 * mib;
  return g;
}

// One row of 128 f16 (256 B) from memory, one tile, the result in TCM.
inline CompositeMath memory_row(std::uint64_t address) {
  CompositeMath math;
  math.m = 1;
  math.n = 128;
  math.tile = TileShape{1, 1, 128};
  math.inputs.resize(1);
  math.inputs[0].address = address;
  math.out.pinned = true;
  return math;
}

inline EpilogueStage epilogue(MathOp op, EpilogueScope scope) { return {op, scope, 0, 0}; }

inline void check_span(const PeTestbench::Op& op, Fs start, Fs end) {
  BOOST_TEST(op.start == start, op.name << " " << op.tile << " starts at " << format_ns(op.start)
                                        << ", expected " << format_ns(start));
  BOOST_TEST(op.end == end, op.name << " " << op.tile << " ends at " << format_ns(op.end)
                                    << ", expected " << format_ns(end));
}

}  // namespace kernbench::test
