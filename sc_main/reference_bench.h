// Runs a bench on the machine of a reference (platform/validate/kernel_cases.h).
#pragma once

#include <algorithm>
#include <exception>

#include "platform/validate/kernel_cases.h"
#include "sw/benches/bench_program.h"
#include "sw/benches/bench_registry.h"

namespace kernbench {

inline ReferenceTimes run_reference_bench(Platform& platform, const ReferenceRun& run) {
  BenchRegistry benches;
  register_benches(benches);
  const Bench& bench = benches.find(run.bench);
  BenchOptions options;
  options.parameters = resolve_parameters(bench, run.parameters);
  if (!run.algorithm.empty()) options.ccl.algorithm = run.algorithm;
  options.ccl.defaults = run.ccl_defaults;
  if (!run.ccl_of_algorithm.values().empty())
    options.ccl.algorithms[run.algorithm] = run.ccl_of_algorithm;
  BenchProgram program(bench, options);
  const RunResult result = platform.run(program);
  if (result.cause) std::rethrow_exception(result.cause);

  ReferenceTimes times;
  const std::vector<LaunchRecord> launches = program.launches();
  times.compute_ns = to_ns(launches.at(0).metrics.merged.compute);
  for (const LaunchRecord& launch : launches)
    times.longest_kernel_ns =
        std::max(times.longest_kernel_ns, to_ns(launch.metrics.merged.pe_exec));
  if (run.bench != "collectives") return times;
  const ResultTable table = program.results().at(0);
  const std::size_t op = table.column("op"), bytes = table.column("bytes"),
                    time = table.column("time_ns");
  for (const auto& row : table.rows())
    times.collectives.push_back({std::get<std::string>(row.at(op)),
                                 static_cast<std::uint64_t>(std::get<std::int64_t>(row.at(bytes))),
                                 std::get<double>(row.at(time))});
  return times;
}

}  // namespace kernbench
