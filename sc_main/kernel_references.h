// References of `kernbench validate` that need kernels, and so software and hardware together: MAC
// arrays, collectives, and figures of the Python system.
#pragma once

#include <vector>

#include "platform/validate/validation_case.h"

namespace kernbench {

std::vector<ValidationCase> systolic_cases();    // group systolic
std::vector<ValidationCase> collective_cases();  // group collectives
// Group source, behind those of platform/validate/source_cases.cpp.
std::vector<ValidationCase> source_gemm_cases();        // source_gemm.cpp
std::vector<ValidationCase> source_collective_cases();  // source_collectives.cpp

// Those of platform/validate and these, in the order in which they are reported.
std::vector<ValidationCase> all_references();

}  // namespace kernbench
