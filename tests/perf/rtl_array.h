// The systolic array of rtl.pe_gemm alone: its Verilated model in the smallest loop that feeds it.
#pragma once

#include <cstdint>

namespace kernbench::perf {

struct ArrayTask {
  std::uint32_t m, n, k;
  bool is_f16;
};

// Bare: the array. Checked: the model that the platform evaluates, with the assertions of the
// contract of its pins.
enum class ArrayModel { bare, checked };

struct ArraySpeed {
  std::uint64_t cycles;
  double seconds;  // of the processor
};

// The same task again and again, with random operands, all streams without gaps. size: 8 or 32.
ArraySpeed array_alone(ArrayModel model, unsigned size, const ArrayTask& task, double seconds);

}  // namespace kernbench::perf
