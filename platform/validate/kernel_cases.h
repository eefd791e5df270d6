// Cases that run kernels: MAC arrays, collectives, figures of the Python system.
//
// Kernels and benches are software, which platform/ does not depend on: the creator of the cases
// passes a function that runs a bench.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/parameter.h"
#include "platform/validate/validation_case.h"

namespace kernbench {

// Bench on SIP 0, or on all SIPs if the bench uses all.
struct ReferenceRun {
  std::string bench;
  std::vector<std::pair<std::string, std::string>> parameters = {};  // NAME, VALUE
  std::string algorithm = {};        // algorithm of all_reduce; empty: the default
  Attributes ccl_defaults = {};      // `defaults` of ccl.yaml
  Attributes ccl_of_algorithm = {};  // its entry in `algorithms`
};
struct CollectiveTime {
  std::string op;
  std::uint64_t bytes = 0;  // per rank
  double time_ns = 0;
};
struct ReferenceTimes {
  double compute_ns = 0;                    // first launch
  double longest_kernel_ns = 0;             // largest time of a kernel on a PE
  std::vector<CollectiveTime> collectives;  // rows of the bench `collectives`
};
// Throws the error that ended the run.
using RunBench = std::function<ReferenceTimes(Platform&, const ReferenceRun&)>;

std::vector<ValidationCase> systolic_cases(const RunBench& run);                // group systolic
std::vector<ValidationCase> collective_cases(const RunBench& run);              // group collectives
std::vector<ValidationCase> collective_correlation_cases(const RunBench& run);  // group correlation
std::vector<ValidationCase> source_gemm_cases(const RunBench& run);             // group source
std::vector<ValidationCase> source_collective_cases(const RunBench& run);       // group source

// These cases and those that run no kernel, in the order of the report.
std::vector<ValidationCase> all_references(const RunBench& run);

}  // namespace kernbench
