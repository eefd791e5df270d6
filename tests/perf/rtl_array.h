// The systolic array of rtl.pe_gemm alone: its Verilated model in the smallest loop that feeds it.
#pragma once

#include <cstdint>

namespace kernbench::perf {

struct ArrayTask {
  std::uint32_t m, n, k;
  bool is_f16;
};

struct ArraySpeed {
  std::uint64_t cycles;
  double seconds;  // of the processor
};

// The same task again and again, with random operands, all streams without gaps. size: 8 or 32.
ArraySpeed array_alone(unsigned size, const ArrayTask& task, double seconds);

}  // namespace kernbench::perf
