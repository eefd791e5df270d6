// What comes of phase 2: every output is held against the bench's reference (spec 9).
#pragma once

#include <vector>

#include "platform/numerics/data_executor.h"
#include "sc_main/run_report.h"
#include "sw/runtime/expectation.h"

namespace kernbench {

// `executor` has computed what was recorded.
std::vector<VerdictReport> verify(const DataExecutor& executor, const std::vector<Expectation>& expectations);

}  // namespace kernbench
