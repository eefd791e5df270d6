// A bench run on the machine of a reference, and its numbers.
#pragma once

#include <string>
#include <vector>

#include "platform/assembly/platform.h"
#include "sw/benches/bench_program.h"

namespace kernbench {

struct BenchNumbers {
  std::vector<LaunchRecord> launches;
  std::vector<ResultTable> results;
};

// On SIP 0, or on all by a bench that uses all. Throws what ended the run.
BenchNumbers run_reference_bench(Platform& platform, const std::string& name,
                                 const std::vector<GivenParameter>& parameters,
                                 const CclFile& ccl = {});

// Largest time that a kernel of the launches took on a PE.
double longest_kernel_ns(const BenchNumbers& numbers);

}  // namespace kernbench
