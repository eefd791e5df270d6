// Phase 2 of a run: the recorded operations are computed, and every output is held against the bench's reference (spec 9).
#pragma once

#include <vector>

#include "platform/numerics/data_executor.h"
#include "sc_main/run_report.h"
#include "sw/runtime/expectation.h"

namespace kernbench {

std::vector<VerdictReport> verify(DataPlane& plane, const std::vector<Expectation>& expectations);

}  // namespace kernbench
