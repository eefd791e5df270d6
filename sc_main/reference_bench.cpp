#include "sc_main/reference_bench.h"

#include <algorithm>
#include <exception>

#include "sw/benches/bench_registry.h"

namespace kernbench {

BenchNumbers run_reference_bench(Platform& platform, const std::string& name,
                                 const std::vector<GivenParameter>& parameters,
                                 const CclFile& ccl) {
  BenchRegistry benches;
  register_benches(benches);
  const Bench& bench = benches.find(name);
  BenchOptions options;
  options.parameters = resolve_parameters(bench, parameters);
  options.ccl = ccl;
  BenchProgram program(bench, options);
  const RunResult result = platform.run(program);
  if (result.cause) std::rethrow_exception(result.cause);
  return {program.launches(), program.results()};
}

double longest_kernel_ns(const BenchNumbers& numbers) {
  Fs longest = 0;
  for (const LaunchRecord& launch : numbers.launches)
    longest = std::max(longest, launch.metrics.merged.pe_exec);
  return to_ns(longest);
}

}  // namespace kernbench
