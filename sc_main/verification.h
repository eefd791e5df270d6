// Verification of the results of phase 2: every output against the bench's reference (spec 9).
#pragma once

#include <vector>

#include "platform/observe/op_origins.h"
#include "platform/phase2/data_executor.h"
#include "sc_main/run_report.h"
#include "sw/runtime/expectation.h"

namespace kernbench {

// Images of the outputs to be verified.
std::vector<ByteImage> outputs_of(const std::vector<Expectation>& expectations);
// `executor` has computed what was recorded. Both, on a stop request: StoppedError, which says how
// far it came.
std::vector<VerdictReport> verify(const DataExecutor& executor,
                                  const std::vector<Expectation>& expectations,
                                  const StopQuestion& stop);
// Every computed operation against a reference of its own, from its inputs as they are.
OperationsReport verify_operations(const FunctionalModel& functional_model,
                                   const DataExecutor& executor, const OpOrigins& origins,
                                   unsigned threads, const StopQuestion& stop);

}  // namespace kernbench
